import BelfryServices
import ServiceLifecycleTestKit

extension ServiceWorld {
    /// Runs a worker, lets something happen, tells it to shut down, and returns when it has.
    func shuttingDown(
        _ worker: some LeaseWorker, during action: @escaping @Sendable () async -> Void,
        then after: @escaping @Sendable () -> Void
    ) async {
        await testGracefulShutdown { trigger in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await worker.run() }
                await action()
                trigger.triggerGracefulShutdown()
                after()
            }
        }
    }
}
