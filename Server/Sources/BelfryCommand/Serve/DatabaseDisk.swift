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

/// The disk on which the disk floor is kept when the store is on a PostgreSQL server (SEC-9).
enum DatabaseDisk: Hashable, Sendable {
    /// The disk of this folder, which is the server's folder or on the same disk.
    case watched(folder: String)
    /// No disk, because there is no floor.
    case unwanted
    /// No disk, because the server is or may be on another machine.
    case elsewhere
    /// No disk: the server is on this machine, but does not tell where its files are.
    case undisclosed
    /// No disk: the folder that the server names contains no files of a server.
    case absent(folder: String)

    /// The disk of the folder that the operator names.
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
    ///   - said: what the server says about its folder; nil: it was not asked, because there is no floor.
    ///   - isHere: returns whether a folder of this machine contains a server's files, as far as this process can see.
    init(of said: PostgresDataFolder?, isHere: (_ folder: String) -> Bool = DatabaseDisk.mayHoldDatabase) {
        switch said {
        case nil: self = .unwanted
        case .elsewhere?: self = .elsewhere
        case .undisclosed?: self = .undisclosed
        case .here(let folder)?: self = isHere(folder) ? .watched(folder: folder) : .absent(folder: folder)
        }
    }

    /// Whether a folder has a size, and contains the file that the folder of each server has.
    ///
    /// Only the server's user can read that folder. Other users learn the size of its disk but not its content, so a
    /// folder that cannot be read counts as the server's.
    static func mayHoldDatabase(_ folder: String) -> Bool {
        guard folder.utf8.first == UInt8(ascii: "/"), DiskSpace(ofFileSystemAt: folder, unsettled: 0) != nil else {
            return false
        }
        return access("\(folder)/PG_VERSION", F_OK) == 0 || errno == EACCES
    }

    /// The disk that the floor watches; nil: none.
    var disk: StorageWatch.Disk? {
        guard case .watched(let folder) = self else { return nil }
        // The server's log already counts as used space, and only the server can shorten it.
        return StorageWatch.Disk(space: { DiskSpace(ofFileSystemAt: folder, unsettled: 0) }, settle: {})
    }

    /// Logs at the start which disk is watched.
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
        case .undisclosed:
            logger.warning(
                "no floor of free space applies to the disk of the database: its server does not say where its files are",
                metadata: ["advice": "\(Self.adviceOnUndisclosed)"])
        case .absent(let folder):
            logger.warning(
                "no floor of free space applies to the disk of the database: its server's folder cannot be seen here",
                metadata: ["folder": "\(folder)", "advice": "\(Self.adviceOnAbsent)"])
        }
    }

    static let adviceOnUndisclosed = """
        Name a folder on that disk with --database-folder, or let the database's user know the server's own: GRANT \
        pg_read_all_settings.
        """
    static let adviceOnAbsent = "Name a folder on that disk with --database-folder."
}
