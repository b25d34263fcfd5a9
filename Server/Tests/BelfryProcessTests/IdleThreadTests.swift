import BelfryStore
import Testing

@testable import BelfryCommand

#if os(Linux)
    #if canImport(Glibc)
        import Glibc
    #elseif canImport(Musl)
        import Musl
    #endif

    /// The thread on which rehearsals run.
    struct IdleThreadTests {
        /// `SCHED_IDLE` of `sched.h`.
        private static let idlePolicy: Int32 = 5

        @Test("PERF-13: the system has taken the thread of rehearsals for one that all others go before")
        func policy() async {
            let policy = await withCheckedContinuation { continuation in
                JobQueue.idleProcessors.run { continuation.resume(returning: sched_getscheduler(0)) }
            }
            #expect(policy == Self.idlePolicy)
        }
    }
#endif
