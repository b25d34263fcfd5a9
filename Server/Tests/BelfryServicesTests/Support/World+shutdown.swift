import BelfryServices
import ServiceLifecycleTestKit

extension World {
    /// Runs a worker, lets something happen, tells it to shut down, and returns when it has.
    func shuttingDown(
        during action: @escaping @Sendable () async -> Void, then after: @escaping @Sendable () -> Void
    ) async {
        let dispatcher = dispatcher("a", work: work)
        await testGracefulShutdown { trigger in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { try? await dispatcher.run() }
                await action()
                trigger.triggerGracefulShutdown()
                after()
            }
        }
    }
}
