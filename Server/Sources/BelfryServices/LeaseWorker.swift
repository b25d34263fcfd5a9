import Foundation
import ServiceLifecycle

/// A service that leases work from the database: it looks when it is rung for and when something becomes due, leases what
/// it has room for, and renews the leases of what is under way.
package protocol LeaseWorker: Service {
    /// Rings when there may be something to do.
    var work: AsyncSignal { get }
    var environment: ServerEnvironment { get }
    /// How often leases are renewed, in seconds.
    static var renewal: TimeInterval { get }

    /// Runs until the service is shut down: then no more is taken up, and what is under way is finished.
    func run() async

    /// Looks once, and takes up work in tasks of the group.
    func turn(_ group: inout DiscardingTaskGroup) async -> WorkTick
    /// Renews the leases of what is under way.
    func renewLeases() async
}

/// What one look came to.
package struct WorkTick: Sendable {
    /// When to look again.
    var next: Date
    /// Pieces of work that were taken up.
    var begun = 0
}

extension LeaseWorker {
    package func run() async {
        work.signal()
        await withDiscardingTaskGroup { leases in
            leases.addTask { await renewNowAndThen() }
            await withDiscardingTaskGroup { pieces in
                var alarm: Task<Void, Never>?
                for await _ in work.rings.cancelOnGracefulShutdown() {
                    alarm?.cancel()
                    alarm = ring(at: await turn(&pieces).next)
                }
                alarm?.cancel()
            }
            leases.cancelAll()
        }
    }

    /// Does what is due by now, and what becomes due through it; returns when nothing is.
    ///
    /// Unlike ``run()`` it renews no lease, so it is for runs shorter than one.
    package func runUntilIdle() async {
        var last: WorkTick
        repeat {
            last = await withDiscardingTaskGroup(returning: WorkTick.self) { pieces in await turn(&pieces) }
        } while last.begun > 0 || last.next <= environment.now()
    }

    /// Rings after a while; the loop that owns it cancels it when something else rings first.
    private func ring(at date: Date) -> Task<Void, Never> {
        Task {
            guard (try? await environment.sleepUntil(date)) != nil else { return }
            work.signal()
        }
    }

    private func renewNowAndThen() async {
        while (try? await environment.sleepUntil(environment.now().addingTimeInterval(Self.renewal))) != nil {
            await renewLeases()
        }
    }
}
