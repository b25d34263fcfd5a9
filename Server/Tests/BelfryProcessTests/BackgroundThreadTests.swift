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
    struct BackgroundThreadTests {
        /// Of the thread that asks.
        private static var niceValue: Int32 { getpriority(0, 0) }

        @Test("PERF-13: the system lets every other thread of the process go before that of rehearsals")
        func priority() async {
            let value = await withCheckedContinuation { continuation in
                JobQueue.background.run { continuation.resume(returning: Self.niceValue) }
            }
            #expect(value == max(Self.niceValue, 12))
        }
    }
#endif
