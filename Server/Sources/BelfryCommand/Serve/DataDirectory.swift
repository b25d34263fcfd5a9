import BelfryServices
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The data directory of one server: its database, its admin key and its secret, which only its owner can read.
struct DataDirectory {
    /// The minimum length of a key in a file, in characters.
    static let minimumKeyLength = max(AdminAccess.minimumKeyLength, ServerKeys.minimumSecretLength)
    /// The file that a running server has locked.
    static let lockName = "lock"
    private static let forOthers: mode_t = 0o077
    private static let writableByAll: mode_t = 0o002

    let url: URL
    /// The lock file, open for as long as the server runs. The system unlocks it however the process ends.
    private let lock: FileHandle

    var database: URL { url.appending(path: "belfry.sqlite") }
    var adminKey: URL { url.appending(path: "admin-key") }
    var secretKey: URL { url.appending(path: "secret-key") }
    /// The folder of the browser SDKs that have been served.
    var browserSDKs: URL { url.appending(path: "sdk", directoryHint: .isDirectory) }

    /// Opens the data directory, creates it if it is missing, and removes everybody else's access.
    ///
    /// From then on, all files that this process creates belong to its user alone: SQLite creates its files by the
    /// umask.
    init(path: String) throws {
        umask(Self.forOthers)
        url = URL(filePath: path, directoryHint: .isDirectory).absoluteURL
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw DataDirectoryError.notCreatable(path: url.path)
        }
        try Self.close(url.path)
        lock = try Self.lock(url.appending(path: Self.lockName).path)
    }

    /// Removes the permissions of everybody but the owner from an existing folder.
    private static func close(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw DataDirectoryError.notCreatable(path: path) }
        guard status.st_uid == geteuid() else { throw DataDirectoryError.anothers(path: path) }
        // In a folder such as /tmp, any user could replace these files by their own.
        guard status.st_mode & writableByAll == 0 else { throw DataDirectoryError.everybodys(path: path) }
        guard status.st_mode & forOthers == 0 || chmod(path, 0o700) == 0 else {
            throw DataDirectoryError.anothers(path: path)
        }
    }

    /// Locks the folder, so that only one server uses it at a time.
    private static func lock(_ path: String) throws -> FileHandle {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataDirectoryError.notWritable(path: path) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw DataDirectoryError.inUse(path: path) }
        return handle
    }

    /// The text of a file with mode 0600. The first start creates it with a text from `make`.
    func secret(_ file: URL, make: () -> String) throws -> String {
        var status = stat()
        if stat(file.path, &status) == 0 { return try read(file, mode: status.st_mode) }
        let text = make()
        try write(text, to: file)
        return text
    }

    /// Reads an existing key. It must be readable by its owner only, and long enough not to be guessed.
    private func read(_ file: URL, mode: mode_t) throws -> String {
        guard mode & Self.forOthers == 0 else { throw DataDirectoryError.openToOthers(path: file.path) }
        guard let text = try? String(contentsOf: file, encoding: .utf8) else {
            throw DataDirectoryError.notReadable(path: file.path)
        }
        let key = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard key.count >= Self.minimumKeyLength else {
            throw DataDirectoryError.keyTooShort(path: file.path, minimum: Self.minimumKeyLength)
        }
        return key
    }

    /// Writes to a temporary file, syncs and renames it, so that a crash leaves the whole key or none.
    private func write(_ text: String, to file: URL) throws {
        let draft = url.appending(path: ".\(file.lastPathComponent).new")
        unlink(draft.path)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        do {
            try Self.withDescriptor(draft.path, flags) { handle in
                try handle.write(contentsOf: Data((text + "\n").utf8))
                try handle.synchronize()
            }
        } catch {
            throw DataDirectoryError.notWritable(path: draft.path)
        }
        guard rename(draft.path, file.path) == 0 else { throw DataDirectoryError.notWritable(path: file.path) }
        // The new name is durable once the folder is synced.
        do {
            try Self.withDescriptor(url.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) { try $0.synchronize() }
        } catch {
            throw DataDirectoryError.notWritable(path: file.path)
        }
    }

    private static func withDescriptor(_ path: String, _ flags: Int32, _ body: (FileHandle) throws -> Void) throws {
        let descriptor = open(path, flags, 0o600)
        guard descriptor >= 0 else { throw DataDirectoryError.notWritable(path: path) }
        let handle = FileHandle(fileDescriptor: descriptor)
        defer { try? handle.close() }
        try body(handle)
    }
}

enum DataDirectoryError: Error, CustomStringConvertible {
    case notCreatable(path: String)
    case notWritable(path: String)
    case notReadable(path: String)
    case inUse(path: String)
    case anothers(path: String)
    case everybodys(path: String)
    case openToOthers(path: String)
    case keyTooShort(path: String, minimum: Int)

    var description: String {
        switch self {
        case .notCreatable(let path):
            "The data directory \(path) cannot be created. Check that this user can write to its parent folder."
        case .notWritable(let path): "The file \(path) cannot be written. Check the folder's owner and the free space."
        case .notReadable(let path): "The file \(path) cannot be read as text. Check its owner and content."
        case .inUse(let path): "Another server uses the data directory \(path). Stop it, or choose another --data."
        case .anothers(let path):
            "The data directory \(path) is owned by another user. Change its owner, or choose a subfolder."
        case .everybodys(let path):
            "The data directory \(path) is writable by everybody. Choose a folder that only the server uses."
        case .openToOthers(let path):
            "The key file \(path) is accessible to other users. Run 'chmod 600' on it, or replace the key."
        case .keyTooShort(let path, let minimum):
            "The key in \(path) must have at least \(minimum) characters. Delete the file to get a new key."
        }
    }
}
