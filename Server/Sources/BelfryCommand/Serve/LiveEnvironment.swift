import BelfryServices
import BelfryStore
import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

extension ServerEnvironment {
    /// The real clock and the system's randomness.
    package static let live = ServerEnvironment(
        now: { Date() },
        randomBytes: { count in
            var generator = SystemRandomNumberGenerator()
            return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        },
        jitter: { Double.random(in: 0..<1) },
        uuid: { UUID() },
        sleepUntil: { date in
            let seconds = date.timeIntervalSinceNow
            guard seconds > 0 else { return try Task.checkCancellation() }
            try await Task.sleep(for: .seconds(seconds))
        },
        background: .background
    )
}

extension QuestionLimits {
    /// Limits that use the machine's own clock and scheduler.
    package static let live: QuestionLimits = {
        var limits = QuestionLimits { DispatchTime.now().uptimeNanoseconds }
        limits.background = .background
        limits.letOthersRun = { _ = sched_yield() }
        return limits
    }()
}

extension DiskSpace {
    /// Asks the file system of a path. Returns nil when it does not answer, or reports that it has no size.
    ///
    /// - Parameter unsettled: the bytes of the store's log.
    init?(ofFileSystemAt path: String, unsettled: Int64) {
        var status = statvfs()
        guard statvfs(path, &status) == 0, status.f_blocks > 0, status.f_frsize > 0 else { return nil }
        let block = Int64(clamping: status.f_frsize)
        self.init(
            total: Self.bytes(Int64(clamping: status.f_blocks), block),
            available: Self.bytes(Int64(clamping: status.f_bavail), block), unsettled: unsettled
        )
    }

    /// Multiplies without overflow: some file systems report more than is possible.
    private static func bytes(_ blocks: Int64, _ block: Int64) -> Int64 {
        let (bytes, isTooMany) = blocks.multipliedReportingOverflow(by: block)
        return isTooMany ? .max : bytes
    }
}
