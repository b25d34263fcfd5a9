import Belfry
import Dispatch
import Synchronization

/// An app's code that starts the SDK, run by an executor that measures its busy time.
actor AppStart {
    nonisolated let thread = TimedExecutor()

    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

    /// - Returns: the running client, the duration of its `init`, and the time from the call of `start` until it
    ///   returned.
    func start(
        _ configuration: BelfryConfiguration, on platform: HeadlessPlatform
    ) async throws -> (client: BelfryClient, made: Duration, returned: Duration) {
        let clock = ContinuousClock()
        let begin = clock.now
        let client = try BelfryClient(configuration: configuration, platform: platform)
        let made = clock.now
        try await client.start()
        return (client: client, made: made - begin, returned: clock.now - made)
    }
}

/// Runs an actor on a queue of its own, as the main thread runs an app, and measures how long it is busy. What the
/// actor awaits elsewhere does not count.
final class TimedExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "belfry.bench.caller")
    private let spent = Mutex(Duration.zero)

    func enqueue(_ job: consuming ExecutorJob) {
        let work = UnownedJob(job)
        queue.async { [self] in
            let time = ContinuousClock().measure { work.runSynchronously(on: asUnownedSerialExecutor()) }
            spent.withLock { $0 += time }
        }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor {
        UnownedSerialExecutor(ordinary: self)
    }

    /// The busy time of everything that ran before this call.
    func busyTime() async -> Duration {
        await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: spent.withLock { $0 }) }
        }
    }
}
