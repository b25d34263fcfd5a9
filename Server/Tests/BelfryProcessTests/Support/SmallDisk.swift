import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#endif

/// A file system of a few megabytes, in memory, which a test may fill or make read-only.
struct SmallDisk: Sendable {
    let folder: URL

    // Of Linux's <sys/mount.h>.
    private static let readOnly: UInt = 1
    private static let remount: UInt = 32
    private static let detach: Int32 = 2

    /// Where mounting is not permitted, tests that need a small disk are skipped with this reason.
    static let reason: Comment = "NOT tested here: a small file system is mounted by root on Linux only"

    static let isPermitted: Bool = {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-disk-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        guard (try? mounted(at: folder, megabytes: 1)) != nil else { return false }
        unmount(folder)
        return true
    }()

    /// Runs a test on one, and takes it away however that ends.
    static func run(megabytes: Int, _ body: (SmallDisk) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-disk-\(UUID().uuidString)")
        try mounted(at: folder, megabytes: megabytes)
        let outcome: Result<Void, any Error>
        do {
            outcome = .success(try await body(SmallDisk(folder: folder)))
        } catch {
            outcome = .failure(error)
        }
        unmount(folder)
        try? FileManager.default.removeItem(at: folder)
        try outcome.get()
    }

    var data: URL { folder.appending(path: "data", directoryHint: .isDirectory) }
    private var ballast: URL { folder.appending(path: "ballast") }

    /// Bytes that are free.
    var available: Int {
        get throws {
            let attributes = try FileManager.default.attributesOfFileSystem(forPath: folder.path)
            return (attributes[.systemFreeSize] as? NSNumber)?.intValue ?? 0
        }
    }

    /// Somebody else's file takes so many bytes, or all that there are.
    func takeUp(_ bytes: Int) throws {
        _ = FileManager.default.createFile(atPath: ballast.path, contents: nil)
        let file = try FileHandle(forWritingTo: ballast)
        defer { try? file.close() }
        let page = Data(count: 4_096)
        for _ in 0..<(bytes / page.count) {
            guard (try? file.write(contentsOf: page)) != nil else { return }
        }
    }

    /// Somebody else's file goes.
    func giveBack() throws {
        try FileManager.default.removeItem(at: ballast)
    }

    /// Lets every user make files on it, as a server does that refuses to run as root.
    func open() throws {
        try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: folder.path)
    }

    /// No file may be open for writing.
    func setReadOnly(_ isReadOnly: Bool) throws {
        #if canImport(Glibc)
            let flags = isReadOnly ? Self.remount | Self.readOnly : Self.remount
            guard mount("tmpfs", folder.path, "tmpfs", flags, nil) == 0 else { throw MountError(number: errno) }
        #endif
    }

    private static func mounted(at folder: URL, megabytes: Int) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #if canImport(Glibc)
            let options = "size=\(megabytes)m,mode=0700"
            guard mount("tmpfs", folder.path, "tmpfs", 0, options) == 0 else { throw MountError(number: errno) }
        #else
            throw MountError(number: 0)
        #endif
    }

    private static func unmount(_ folder: URL) {
        #if canImport(Glibc)
            // An open file keeps its space until it is closed.
            _ = umount2(folder.path, detach)
        #endif
    }

    struct MountError: Error {
        let number: Int32
    }
}
