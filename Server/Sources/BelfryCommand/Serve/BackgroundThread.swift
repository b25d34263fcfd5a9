import BelfryStore
import Foundation
import Synchronization

#if os(Linux)
    import CScheduler
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A thread that lets others go first (PERF-13). Beside a thread like any other's, whoever wakes up waits for up to four
/// milliseconds, also if that one pauses or calls `sched_yield` now and then. Beside this one it waits for some one.
private final class BackgroundThread: Sendable {
    /// The nice value: who wakes up goes first, but for the slice that this thread gets when it wakes up itself. Where all
    /// processors are busy it still gets one for a fifteenth of the time by the system's weights, so that what it has under
    /// way ends: a view of the database, a lock inside SQLite. With `SCHED_IDLE`, which gives a processor back at once, it
    /// would be a three-hundredth.
    static let niceValue: Int32 = 12
    /// Nanoseconds, the most that Linux takes. Whoever has a shorter slice need not wait for the end of this one.
    static let slice: UInt64 = 100_000_000
    /// `PRIO_PROCESS`, whose type each C library has its own idea of. On Linux it means a thread.
    private static let ofThread: Int32 = 0

    private let jobs = Mutex<[@Sendable () -> Void]>([])
    private let arrivals = NSCondition()

    init() {
        Thread.detachNewThread { [self] in
            Self.letOthersGoFirst()
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

    /// Of the thread that asks, in nanoseconds.
    static var processorTime: UInt64 {
        var time = timespec()
        guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// A system that refuses it runs the thread like any other.
    private static func letOthersGoFirst() {
        #if os(Linux)
            if belfry_set_schedule(niceValue, slice) != 0 { _ = setpriority(ofThread, 0, niceValue) }
        #endif
    }
}

extension JobQueue {
    /// One thread for all of the process.
    static let background: JobQueue = {
        #if os(Linux)
            let thread = BackgroundThread()
            return JobQueue(clock: { BackgroundThread.processorTime }) { thread.run($0) }
        #else
            return JobQueue { job in DispatchQueue.global(qos: .background).async(execute: job) }
        #endif
    }()
}
