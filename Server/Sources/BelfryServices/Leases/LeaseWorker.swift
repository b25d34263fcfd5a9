import Foundation
import ServiceLifecycle

/// A service that leases work from the database: it looks when it is rung for and when something becomes due, leases what
/// it has room for, and renews the leases of what is under way.
package protocol LeaseWorker: Service {
    /// Rings when there may be something to do.
    var work: AsyncSignal { get }
    var environment: ServerEnvironment { get }

    /// Runs until the service is shut down: then no more is taken up, and what is under way is finished.
    func run() async

    /// Looks once, and takes up work in tasks of the group.
    func turn(_ group: inout DiscardingTaskGroup) async -> WorkTick
    /// Renews the leases of what is under way.
    ///
    /// - Returns: whether it could.
    func renewLeases() async -> Bool
}

/// How long work is leased and how often the leases are renewed, in seconds (PUSH-5).
package enum LeaseTerm {
    package static let length: TimeInterval = 15
    package static let renewal: TimeInterval = 5
    /// Until leases that could not be renewed are tried again.
    package static let restAfterFailure: TimeInterval = 1
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
        var pause = LeaseTerm.renewal
        while (try? await environment.sleepUntil(environment.now().addingTimeInterval(pause))) != nil {
            pause = await renewLeases() ? LeaseTerm.renewal : LeaseTerm.restAfterFailure
        }
    }
}
