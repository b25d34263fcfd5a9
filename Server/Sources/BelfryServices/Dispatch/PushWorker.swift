import Foundation
import Logging

/// A worker that plans campaigns and sends pushes in turns: first a short time of planning, then what is due.
package protocol PushWorker: LeaseWorker {
    /// The kind of work that it leases.
    associatedtype Item: Hashable & Sendable

    /// The log messages when plans, pushes or leases have to wait for the database.
    static var planningFailure: Logger.Message { get }
    static var sendingFailure: Logger.Message { get }
    static var renewalFailure: Logger.Message { get }

    var pipeline: PushPipeline { get }
    var held: HeldWork<Item> { get }

    /// Plans for a short time.
    ///
    /// - Returns: whether there is more to plan.
    func plan() async throws -> Bool
    /// Claims what is due and sends it in tasks of the group.
    ///
    /// - Returns: how many rounds were begun.
    func begin(_ group: inout DiscardingTaskGroup) async throws -> Int
    /// When something is due next; nil if nothing is, or if no slot is free. In the latter case the round that ends
    /// next wakes the worker.
    func nextDate() async throws -> Date?
    /// Renews the leases of items in work.
    func renew(_ items: [Item]) async throws
}

extension PushWorker {
    /// Seconds that the worker waits after a database error, and at most between two checks for work.
    static var restAfterFailure: TimeInterval { 1 }
    static var longestWait: TimeInterval { 5 }

    package var environment: ServerEnvironment { pipeline.environment }

    package func turn(_ group: inout DiscardingTaskGroup) async -> WorkTick {
        var begun = 0
        let start = environment.now()
        let planning = await planned()
        // Before it checks for expired leases of other workers.
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
            await held.heldUp(at: environment.now())
            return WorkTick(next: environment.now().addingTimeInterval(Self.restAfterFailure), begun: begun)
        }
    }

    package func renewLeases() async -> Bool {
        await held.look(at: environment.now())
        let items = await held.leased
        guard !items.isEmpty else { return true }
        do {
            try await renew(items)
            return true
        } catch {
            await held.heldUp(at: environment.now())
            pipeline.logger.failed(Self.renewalFailure, error)
            return false
        }
    }

    /// Records that the worker waited for the database and got a response.
    func waited(since begin: Date) async {
        await held.waited(since: begin, until: environment.now())
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
