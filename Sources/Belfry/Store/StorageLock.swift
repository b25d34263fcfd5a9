import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A lock on a directory, held as long as this object lives; the system drops it when the process dies.
final class StorageLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``BelfryError/Code/directoryInUse`` when another client holds it.
    init(directory: URL) throws(BelfryError) {
        do {
            try StorageDirectory.make(at: directory)
        } catch {
            throw BelfryError.storage(error)
        }
        let path = directory.appendingPathComponent("belfry.lock").path
        // Not a property until the lock is held: a failing initializer must not run `deinit` as well.
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw BelfryError(
                .storageUnavailable, "The lock file cannot be opened (errno \(errno)).", field: "directory")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw BelfryError(
                .directoryInUse,
                "Another client uses this storage directory. Give each client its own, or stop the other one first.",
                field: "directory"
            )
        }
        self.descriptor = descriptor
    }

    deinit {
        close(descriptor)
    }
}
