import Dispatch

/// Runs jobs that would otherwise block a thread of the task pool for long.
package struct JobQueue: Sendable {
    /// Runs a job later, perhaps in parallel with others.
    package let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// The processor time of the calling job's thread, in nanoseconds; nil: elapsed time is used instead.
    package let clock: (@Sendable () -> UInt64)?

    package init(
        clock: (@Sendable () -> UInt64)? = nil, run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.run = run
        self.clock = clock
    }

    /// Runs jobs on ordinary threads.
    package static let threads = JobQueue { job in DispatchQueue.global().async(execute: job) }
}
