#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// A fleet opens some files for each of its devices, and a server one for each connection: more than a shell allows by
/// default.
package enum OpenFiles {
    /// Handles of a server that connections of its clients do not use.
    package static let spare = 32
    /// As many as the program asks for: 10,000 connections, and a fleet of devices.
    static let wanted: rlim_t = 65_536

    /// Asks for as many as the system permits; when it refuses, it goes as far as that allows.
    package static func raiseLimit() {
        guard var limit else { return }
        limit.rlim_cur = min(limit.rlim_max, wanted)
        _ = setrlimit(resource, &limit)
    }

    /// Whether the last handles that the limit allows are free: of them the first stands for all. The system gives the
    /// lowest free one first, so they are used when all others are.
    package static func areLeft(_ count: Int) -> Bool {
        guard let limit, limit.rlim_cur < rlim_t(Int32.max) else { return true }
        let first = Int32(limit.rlim_cur) - Int32(count)
        guard first > 0 else { return false }
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        let handle = fcntl(file, F_DUPFD_CLOEXEC, first)
        guard handle >= 0 else { return false }
        close(handle)
        return handle == first
    }

    static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }

    #if canImport(Glibc)
        private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
        private static var resource: Int32 { RLIMIT_NOFILE }
    #endif
}
