#if os(Linux)
    import BelfryStore
    import CScheduler
    import Testing

    @testable import BelfryCommand

    /// The thread on which rehearsals run.
    struct BackgroundThreadTests {
        /// How the system schedules the thread that asks.
        private struct Schedule: Equatable {
            var niceValue: Int32 = 0
            /// Nanoseconds; 0: the system knows none.
            var slice: UInt64 = 0

            static var current: Schedule? {
                var schedule = Schedule()
                return belfry_get_schedule(&schedule.niceValue, &schedule.slice) == 0 ? schedule : nil
            }
        }

        @Test("PERF-13: the system lets every other thread of the process go before that of rehearsals")
        func schedule() async throws {
            let found = await withCheckedContinuation { continuation in
                JobQueue.background.run { continuation.resume(returning: Schedule.current) }
            }
            let background = try #require(found)
            let ordinary = try #require(Schedule.current)
            #expect(background.niceValue == max(ordinary.niceValue, 12))
            // Linux has slices since 6.12. An ordinary one has a few milliseconds.
            #expect(background.slice == (ordinary.slice == 0 ? 0 : 100_000_000))
        }
    }
#endif
