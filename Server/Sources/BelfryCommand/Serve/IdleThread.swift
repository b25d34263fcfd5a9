import BelfryStore
import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread that has a processor only while no other one wants it, and gives it back at once (PERF-13). Beside a thread
/// like any other's, whoever wakes up waits for up to four milliseconds, also if that one pauses or calls `sched_yield`
/// now and then.
private final class IdleThread: Sendable {
    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let arrivals = NSCondition()

    init() {
        Thread.detachNewThread { [self] in
            Self.yieldToAll()
            while true { next()() }
        }
    }

    func run(_ job: @escaping @Sendable () -> Void) {
        jobs.withLock { $0.append(job) }
        // It may just have seen that there is none, and be about to wait: it has the lock until it does.
        arrivals.lock()
        arrivals.signal()
        arrivals.unlock()
    }

    private func next() -> @Sendable () -> Void {
        arrivals.lock()
        defer { arrivals.unlock() }
        while true {
            if let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return job }
            arrivals.wait()
        }
    }

    #if os(Linux)
        /// `SCHED_IDLE` of `sched.h`, which Swift does not see.
        private static let idlePolicy: Int32 = 5
    #endif

    /// Of the thread that asks, in nanoseconds.
    static var processorTime: UInt64 {
        var time = timespec()
        guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// A system that refuses it runs the thread like any other.
    private static func yieldToAll() {
        #if os(Linux)
            var parameters = sched_param()
            _ = sched_setscheduler(0, idlePolicy, &parameters)
        #endif
    }
}

extension JobQueue {
    /// One thread for all of the process. It begins with the first job.
    static let idleProcessors: JobQueue = {
        #if os(Linux)
            let thread = IdleThread()
            return JobQueue(clock: { IdleThread.processorTime }) { thread.run($0) }
        #else
            return JobQueue { job in DispatchQueue.global(qos: .background).async(execute: job) }
        #endif
    }()
}
