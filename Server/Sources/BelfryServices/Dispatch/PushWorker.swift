import Foundation
import Logging

/// A worker that plans campaigns and sends pushes in turns: a little of the plans first, then what is due.
package protocol PushWorker: LeaseWorker {
    /// What the log says when plans, or pushes, have to wait for the database.
    static var planningFailure: Logger.Message { get }
    static var sendingFailure: Logger.Message { get }

    var pipeline: PushPipeline { get }

    /// Plans for a short time.
    ///
    /// - Returns: whether there is more to plan.
    func plan() async throws -> Bool
    /// Claims what is due and sends it in tasks of the group.
    ///
    /// - Returns: how many rounds were begun.
    func begin(_ group: inout DiscardingTaskGroup) async throws -> Int
    /// When something is due next; nil if nothing is, or if no slot is free: the round that ends next wakes the worker.
    func nextDate() async throws -> Date?
    /// The database has answered at last.
    func waited(since begin: Date) async
    /// The database could not be reached.
    func heldUp() async
}

extension PushWorker {
    /// How long it waits after a database error, and at most between two checks for work, in seconds.
    static var restAfterFailure: TimeInterval { 1 }
    static var longestWait: TimeInterval { 5 }

    package var environment: ServerEnvironment { pipeline.environment }

    package func turn(_ group: inout DiscardingTaskGroup) async -> WorkTick {
        var begun = 0
        let start = environment.now()
        let planning = await planned()
        // Before it looks at what others have leased.
        await waited(since: start)
        let claiming = environment.now()
        do {
            begun = try await begin(&group)
            await waited(since: claiming)
            if planning == .more { return WorkTick(next: environment.now(), begun: begun) }
            let wait = planning == .failed ? Self.restAfterFailure : Self.longestWait
            let asked = environment.now()
            let next = try await nextDate()
            await waited(since: asked)
            let latest = asked.addingTimeInterval(wait)
            return WorkTick(next: min(latest, next ?? latest), begun: begun)
        } catch {
            if !(error is CancellationError) { pipeline.logger.failed(Self.sendingFailure, error) }
            await heldUp()
            return WorkTick(next: environment.now().addingTimeInterval(Self.restAfterFailure), begun: begun)
        }
    }

    /// An error here is retried and does not stop sending.
    private func planned() async -> Planning {
        do {
            return try await plan() ? .more : .done
        } catch {
            if !(error is CancellationError) { pipeline.logger.failed(Self.planningFailure, error) }
            return .failed
        }
    }
}

private enum Planning {
    case done, more, failed
}
