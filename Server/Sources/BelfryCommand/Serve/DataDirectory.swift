import BelfryServices
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The folder of one server: its database, its admin key and its secret, for its owner's eyes only.
struct DataDirectory {
    let url: URL
    /// Open as long as the server lives; the system unlocks it however the process ends.
    private let lock: FileHandle

    var database: URL { url.appending(path: "belfry.sqlite") }
    var adminKey: URL { url.appending(path: "admin-key") }
    var secretKey: URL { url.appending(path: "secret-key") }

    /// Opens the folder, making it when it is missing.
    init(path: String) throws {
        url = URL(filePath: path, directoryHint: .isDirectory).absoluteURL
        do {
            try FileManager.default.createDirectory(
                at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw DataDirectoryError.notCreatable(path: url.path)
        }
        lock = try Self.lock(url.appending(path: "lock").path)
    }

    /// One server at a time has the folder.
    private static func lock(_ path: String) throws -> FileHandle {
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DataDirectoryError.notWritable(path: path) }
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { throw DataDirectoryError.inUse(path: path) }
        return handle
    }

    /// The text of a file of mode 0600, made from `make` at the first start.
    func secret(_ file: URL, make: () -> String) throws -> String {
        if let text = try? String(contentsOf: file, encoding: .utf8) {
            return text.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        let text = make()
        // Written beside and renamed, so that a crash leaves no half-written key.
        let draft = url.appending(path: ".\(file.lastPathComponent).new")
        try? FileManager.default.removeItem(at: draft)
        guard
            FileManager.default.createFile(
                atPath: draft.path, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600]
            )
        else { throw DataDirectoryError.notWritable(path: draft.path) }
        try FileManager.default.moveItem(at: draft, to: file)
        return text
    }
}

enum DataDirectoryError: Error, CustomStringConvertible {
    case notCreatable(path: String)
    case notWritable(path: String)
    case inUse(path: String)

    var description: String {
        switch self {
        case .notCreatable(let path):
            "The data directory \(path) cannot be made: check that its parent is a folder that this user may write."
        case .notWritable(let path): "The file \(path) cannot be written: check the folder's owner and its free space."
        case .inUse(let path): "Another server has this data directory (\(path)): stop it, or choose another --data."
        }
    }
}
