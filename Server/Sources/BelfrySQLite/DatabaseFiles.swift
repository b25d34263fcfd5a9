import BelfryStore
import Foundation

/// The files of an open database as they were when it was opened: the database file and its log.
///
/// A file that is moved, removed or replaced meanwhile stays open and accepts all writes. They would be lost after a
/// restart, so no write is acknowledged until the file is back (REL-6, WIRE-26).
struct DatabaseFiles: Sendable {
    private struct Identity: Hashable {
        let device: UInt64
        let number: UInt64

        init?(ofFileAt path: String) {
            var status = stat()
            guard stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    private let files: [(path: String, identity: Identity)]

    /// - Parameter path: the path of the database file.
    init(ofDatabaseAt path: String) {
        files = [path, path + "-wal"].compactMap { path in Identity(ofFileAt: path).map { (path, $0) } }
    }

    /// Throws if one of the files is no longer in its place.
    func check() throws {
        for file in files where Identity(ofFileAt: file.path) != file.identity {
            throw StoreError.tryAgain(
                reason:
                    "the file \(file.path) was moved, removed or replaced while the server is running: put it back, "
                    + "or restart the server with the files that it shall use"
            )
        }
    }
}
