import BelfryServices
import Foundation
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The facts that this machine tells about a deployment. Unlike a server's start, it creates and changes nothing.
enum DoctorMachine {
    static func folder(_ path: String) -> FolderCheck {
        var status = stat()
        guard stat(path, &status) == 0 else { return FolderCheck(path: path, state: .missing) }
        guard status.st_uid == geteuid() else { return FolderCheck(path: path, state: .anothers) }
        let keys = ["admin-key", "secret-key"].compactMap { name -> FolderCheck.File? in
            var status = stat()
            guard stat("\(path)/\(name)", &status) == 0 else { return nil }
            return FolderCheck.File(name: name, mode: UInt32(status.st_mode) & 0o777)
        }
        return FolderCheck(path: path, state: .own(mode: UInt32(status.st_mode) & 0o777), keys: keys)
    }

    static func disk(_ path: String, floor: DiskFloor) -> DiskCheck {
        let log = "\(path)/belfry.sqlite-wal"
        let size = (try? FileManager.default.attributesOfItem(atPath: log))?[.size] as? Int64
        return DiskCheck(path: path, space: DiskSpace(ofFileSystemAt: path, unsettled: size ?? 0), floor: floor)
    }

    static func disk(_ disk: DatabaseDisk, floor: DiskFloor) -> DatabaseDiskCheck {
        var space: DiskSpace?
        if case .watched(let folder) = disk { space = DiskSpace(ofFileSystemAt: folder, unsettled: 0) }
        return DatabaseDiskCheck(disk: disk, floor: floor, space: space)
    }

    static func openFiles() -> OpenFilesCheck {
        OpenFilesCheck(hard: OpenFiles.limit.map { UInt64($0.rlim_max) } ?? 0)
    }

    /// Whether a server uses the data directory. Briefly takes a part of its lock to find out.
    static func isInUse(_ folder: String) -> Bool {
        let descriptor = open("\(folder)/\(DataDirectory.lockName)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
    }

    /// Who uses the port. Briefly listens on it to find out.
    static func occupant(of host: String, port: Int) async -> PortCheck.Occupant {
        do {
            let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .serverChannelOption(.socketOption(.so_reuseaddr), value: 1).bind(host: host, port: port).get()
            try await channel.close().get()
            return .nobody
        } catch let error as IOError where error.errnoCode == EADDRINUSE {
            return .otherProgram
        } catch let error as IOError {
            return .unusable(reason: String(cString: strerror(error.errnoCode)))
        } catch {
            return .unusable(reason: "the address is unknown")
        }
    }
}
