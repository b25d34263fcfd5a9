import Foundation
import ServiceLifecycle

/// The loop of a service that lends itself work from the database: it looks when it is rung for and when something
/// becomes due, takes up what it has room for, and prolongs the loans of what is under way.
struct WorkLoop: Sendable {
    /// What one look came to.
    struct Turn {
        /// When to look again.
        var next: Date
        /// Pieces of work that were taken up.
        var begun = 0
    }

    let work: WakeUp
    let environment: ServerEnvironment
    /// How often loans are prolonged, in seconds.
    let renewal: TimeInterval
    /// Looks once, and takes up work in tasks of the group.
    let turn: @Sendable (inout DiscardingTaskGroup) async -> Turn
    /// Prolongs the loans of what is under way.
    let renewLeases: @Sendable () async -> Void

    /// Runs until the service is shut down: then no more is taken up, and what is under way is finished.
    func run() async {
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
    /// Unlike ``run()`` it prolongs no loan, so it is for runs shorter than one.
    func runUntilIdle() async {
        var last: Turn
        repeat {
            last = await withDiscardingTaskGroup(returning: Turn.self) { pieces in await turn(&pieces) }
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
        while (try? await environment.sleepUntil(environment.now().addingTimeInterval(renewal))) != nil {
            await renewLeases()
        }
    }
}
