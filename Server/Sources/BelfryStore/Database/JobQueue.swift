import Dispatch

/// Where jobs run that would keep a thread of the tasks for long.
package struct JobQueue: Sendable {
    /// Runs a job later, maybe beside others.
    package let run: @Sendable (@escaping @Sendable () -> Void) -> Void
    /// Nanoseconds for which the thread of the job that asks has had a processor; nil: time that passes is as good.
    package let clock: (@Sendable () -> UInt64)?

    package init(
        clock: (@Sendable () -> UInt64)? = nil, run: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
    ) {
        self.run = run
        self.clock = clock
    }

    /// On threads like any other's.
    package static let threads = JobQueue { job in DispatchQueue.global().async(execute: job) }
}
