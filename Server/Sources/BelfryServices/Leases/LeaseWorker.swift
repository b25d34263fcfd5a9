import Foundation
import ServiceLifecycle

/// A service that leases work from the database. It looks for work when its bell rings and when work becomes due,
/// leases as much as it has room for, and renews the leases of work in progress.
package protocol LeaseWorker: Service {
    /// The bell that rings when there may be work.
    var work: AsyncSignal { get }
    var environment: ServerEnvironment { get }

    /// Runs until the service is shut down. Then it takes no new work, and finishes the work in progress.
    func run() async

    /// Looks for work once, and does it in tasks of the group.
    func turn(_ group: inout DiscardingTaskGroup) async -> WorkTick
    /// Renews the leases of work in progress.
    ///
    /// - Returns: whether they were renewed.
    func renewLeases() async -> Bool
}

/// How long work is leased and how often the leases are renewed, in seconds (PUSH-5).
package enum LeaseTerm {
    package static let length: TimeInterval = 15
    package static let renewal: TimeInterval = 5
    /// Seconds after which a failed renewal is tried again.
    package static let restAfterFailure: TimeInterval = 1
}

/// The result of looking for work once.
package struct WorkTick: Sendable {
    /// When to look again.
    var next: Date
    /// The number of pieces of work that were started.
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

    /// Does the work that is due now, and work that becomes due through it, and returns when there is none.
    ///
    /// Unlike ``run()`` it renews no lease, so a run must be shorter than a lease.
    package func runUntilIdle() async {
        var last: WorkTick
        repeat {
            last = await withDiscardingTaskGroup(returning: WorkTick.self) { pieces in await turn(&pieces) }
        } while last.begun > 0 || last.next <= environment.now()
    }

    /// Rings at a date. The loop that owns the task cancels it when another ring comes first.
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
