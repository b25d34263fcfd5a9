#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// The limit of open files. A fleet opens some files for each device and a server opens one for each connection, which
/// is more than a shell allows by default.
package enum OpenFiles {
    /// File handles that a server needs besides its client connections.
    package static let spare = 32
    /// The wanted limit: enough for 10,000 connections and a fleet of devices.
    static let wanted: rlim_t = 65_536

    /// Raises the soft limit to the wanted one, or to the hard limit if that is lower.
    package static func raiseLimit() {
        guard var limit else { return }
        limit.rlim_cur = min(limit.rlim_max, wanted)
        _ = setrlimit(resource, &limit)
    }

    /// Whether this many more handles can be opened. It counts free handles, because a long-lived handle may have a
    /// number above many free ones.
    package static func areLeft(_ count: Int) -> Bool {
        guard let limit, limit.rlim_cur < rlim_t(Int32.max) else { return true }
        return areLeft(count, below: Int32(limit.rlim_cur), free: free(among:))
    }

    /// Searches from the highest handle down. The system issues the lowest first, so the first 64 are enough for a
    /// process that is far from its limit.
    ///
    /// - Parameter free: returns how many handles of a range are free.
    static func areLeft(_ count: Int, below limit: Int32, free: (Range<Int32>) -> Int) -> Bool {
        var (found, end) = (0, limit)
        while found < count, end > 0 {
            let start = max(0, end - looksAt)
            found += free(start..<end)
            end = start
        }
        return found >= count
    }

    private static let looksAt: Int32 = 64

    private static func free(among handles: Range<Int32>) -> Int {
        var looks = handles.map { pollfd(fd: $0, events: 0, revents: 0) }
        guard poll(&looks, nfds_t(looks.count), 0) >= 0 else { return 0 }
        return looks.count { $0.revents & Int16(POLLNVAL) != 0 }
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
