import BelfryRules
import Foundation

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension SteadyTime {
    /// The steady time of this machine; nil where it has no such clock.
    static var system: SteadyTime? {
        var time = timespec()
        guard clock_gettime(clock, &time) == 0 else { return nil }
        return SteadyTime(
            start: start, seconds: TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1_000_000_000
        )
    }

    /// Identifies the start of the system. Where the system does not name it, an id of this process replaces it, and
    /// earlier times cannot be compared.
    private static let start = systemStart ?? UUID().uuidString

    #if canImport(Darwin)
        private static var clock: clockid_t { CLOCK_MONOTONIC_RAW }

        private static var systemStart: String? { KernelText.named("kern.bootsessionuuid") }
    #else
        private static var clock: clockid_t { CLOCK_BOOTTIME }

        private static var systemStart: String? {
            try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        }
    #endif
}
