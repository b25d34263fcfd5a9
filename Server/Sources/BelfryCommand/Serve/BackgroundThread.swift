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

/// A thread that lets other threads go first (PERF-13). Beside a normal busy thread, a thread that wakes up waits for
/// up to 4 ms, even if the busy one pauses or calls `sched_yield` now and then. Beside this one it waits for about 1
/// ms.
private final class BackgroundThread: Sendable {
    /// The nice value: a thread that wakes up goes first, except during the slice that this thread gets when it wakes
    /// up itself. When all processors are busy, this thread still gets a fifteenth of one by the system's weights, so
    /// that what it has in progress ends: a database snapshot, a lock inside SQLite. With `SCHED_IDLE`, which gives up
    /// a processor immediately, it would get a three-hundredth.
    static let niceValue: Int32 = 12
    /// Nanoseconds, the maximum that Linux accepts. A thread with a shorter slice need not wait for the end of this
    /// one.
    static let slice: UInt64 = 100_000_000
    /// `PRIO_PROCESS`, whose type differs between C libraries. On Linux it applies to a thread.
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
        // The thread may just have found no job and be about to wait. It holds the lock until it waits, so it does not
        // miss the signal.
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

    /// The processor time of the calling thread, in nanoseconds.
    static var processorTime: UInt64 {
        var time = timespec()
        guard clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return 0 }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Lowers the thread's priority. If the system refuses, the thread runs like any other.
    private static func letOthersGoFirst() {
        #if os(Linux)
            if belfry_set_schedule(niceValue, slice) != 0 { _ = setpriority(ofThread, 0, niceValue) }
        #endif
    }
}

extension JobQueue {
    /// The queue that runs its jobs on one background thread of the process.
    static let background: JobQueue = {
        #if os(Linux)
            let thread = BackgroundThread()
            return JobQueue(clock: { BackgroundThread.processorTime }) { thread.run($0) }
        #else
            return JobQueue { job in DispatchQueue.global(qos: .background).async(execute: job) }
        #endif
    }()
}
