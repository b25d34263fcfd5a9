import BelfryPostgres
import BelfryServices
import Foundation
import Logging

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Which disk the floor is kept on where the store is on a PostgreSQL server (SEC-9).
enum DatabaseDisk: Hashable, Sendable {
    /// That of this folder, which is the server's or on the same disk.
    case watched(folder: String)
    /// None, for there is no floor.
    case unwanted
    /// None: the server is on another machine, or possibly so.
    case elsewhere
    /// None: the server is on this machine, and does not say where its files are.
    case untold
    /// None: there are no files of a server in what it says is its folder.
    case absent(folder: String)

    /// The disk that the operator names.
    init(named folder: String) throws(ServeConfigurationError) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder) else {
            throw .noDatabaseFolder(folder, reason: "does not exist, or is not visible to this user")
        }
        guard isFolder.boolValue else { throw .noDatabaseFolder(folder, reason: "is not a folder") }
        self = .watched(folder: folder)
    }

    /// The disk of the folder that the server names.
    ///
    /// - Parameters:
    ///   - said: nil: it was not asked, for there is no floor.
    ///   - isHere: whether a server's files are in a folder of this machine, as far as one can see.
    init(of said: PostgresDataFolder?, isHere: (_ folder: String) -> Bool = DatabaseDisk.mayHoldDatabase) {
        switch said {
        case nil: self = .unwanted
        case .elsewhere?: self = .elsewhere
        case .untold?: self = .untold
        case .here(let folder)?: self = isHere(folder) ? .watched(folder: folder) : .absent(folder: folder)
        }
    }

    /// Whether a folder has a size, and the file that is in the folder of each server.
    ///
    /// That folder is its server's alone. Others are told the size of its disk, and not what is in it: for them it may be
    /// the server's.
    static func mayHoldDatabase(_ folder: String) -> Bool {
        guard folder.utf8.first == UInt8(ascii: "/"), DiskSpace(ofFileSystemAt: folder, unsettled: 0) != nil else {
            return false
        }
        return access("\(folder)/PG_VERSION", F_OK) == 0 || errno == EACCES
    }

    /// What the floor watches; nil: nothing.
    var disk: StorageWatch.Disk? {
        guard case .watched(let folder) = self else { return nil }
        // The server's log is on the disk already, and for the server to cut.
        return StorageWatch.Disk(space: { DiskSpace(ofFileSystemAt: folder, unsettled: 0) }, settle: {})
    }

    /// Says once, at the start, what is watched.
    func log(_ logger: Logger) {
        switch self {
        case .watched(let folder):
            logger.info(
                "the floor of free space applies to the disk of the database", metadata: ["folder": "\(folder)"])
        case .unwanted: break
        case .elsewhere:
            logger.notice(
                "no floor of free space applies to the disk of the database, which may be on another machine: watch it there"
            )
        case .untold:
            logger.warning(
                "no floor of free space applies to the disk of the database: its server does not say where its files are",
                metadata: ["advice": "\(Self.adviceOnUntold)"])
        case .absent(let folder):
            logger.warning(
                "no floor of free space applies to the disk of the database: its server's folder cannot be seen here",
                metadata: ["folder": "\(folder)", "advice": "\(Self.adviceOnAbsent)"])
        }
    }

    static let adviceOnUntold = """
        Name a folder on that disk with --database-folder, or let the database's user know the server's own: GRANT \
        pg_read_all_settings.
        """
    static let adviceOnAbsent = "Name a folder on that disk with --database-folder."
}
