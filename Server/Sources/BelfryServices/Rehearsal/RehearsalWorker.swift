import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Logging

/// Rehearses campaigns in the background, one at a time (CON-12); apps take turns. The worker leases a rehearsal. If
/// the worker dies, another one starts the rehearsal again after the lease has ended.
package struct RehearsalWorker: LeaseWorker {
    /// How often a rehearsal is started; after that its problem says that it was interrupted.
    package static let maximumAttempts = 3
    private static let longestWait: TimeInterval = 5
    private static let restAfterFailure: TimeInterval = 1

    let owner: String
    let previews: CampaignPreviewer
    package let work: AsyncSignal
    let logger: Logger
    private let held = HeldWork<Int64>()

    package var environment: ServerEnvironment { previews.environment }

    /// - Parameters:
    ///   - owner: the name of this worker in the leases; no two workers share a name.
    ///   - work: signals that a rehearsal was requested.
    package init(owner: String, previews: CampaignPreviewer, work: AsyncSignal, logger: Logger) {
        self.owner = owner
        self.previews = previews
        self.work = work
        self.logger = logger
    }

    package func turn(_ group: inout DiscardingTaskGroup) async -> WorkTick {
        let now = environment.now()
        do {
            guard await held.count == 0, let row = try await claim(now: now) else {
                return WorkTick(next: try await next(now: now))
            }
            let round = await held.insert([row.id], of: row.app)
            group.addTask { await rehearse(row, round) }
            return WorkTick(next: now.addingTimeInterval(Self.longestWait), begun: 1)
        } catch {
            if !(error is CancellationError) { logger.failed("campaigns cannot be rehearsed", error) }
            return WorkTick(next: now.addingTimeInterval(Self.restAfterFailure))
        }
    }

    private func next(now: Date) async throws -> Date {
        let latest = now.addingTimeInterval(Self.longestWait)
        guard await held.count == 0 else { return latest }
        let due = try await previews.database.read { try $0.rehearsals.nextDue() }
        return due.map { min(max($0, now.addingTimeInterval(Self.restAfterFailure)), latest) } ?? latest
    }

    /// Checks by a read first: most of the time nothing is due, and a read does not occupy the writer.
    private func claim(now: Date) async throws -> RehearsalRow? {
        let (owner, last) = (owner, await held.lastApp ?? .min)
        guard let due = try await previews.database.read({ try $0.rehearsals.nextDue() }), due <= now else {
            return nil
        }
        return try await previews.database.write { [environment] connection in
            // The time after the wait for the writer.
            let now = environment.now()
            return try connection.rehearsals.claim(
                after: last, owner: owner, until: now.addingTimeInterval(LeaseTerm.length), now: now
            )
        }
    }

    private func rehearse(_ row: RehearsalRow, _ round: Int) async {
        do {
            try await finish(row)
        } catch {
            // The lease ends by itself, and the rehearsal is restarted.
            logger.failed("a rehearsal failed and will be restarted", error, ["rehearsal": "\(row.id)"])
        }
        await held.remove(round)
        work.signal()
    }

    private func finish(_ row: RehearsalRow) async throws {
        guard row.attempts <= Self.maximumAttempts else {
            return try await end(row, as: .failed, because: "It was interrupted each time. Start it again.")
        }
        do {
            let run = RehearsalRun(previews: previews, row: row, owner: owner)
            let (end, figures) = try await run.run()
            switch end {
            case .done: try await self.end(row, as: .done, figures)
            case .stopped: try await giveBack(row)
            case .lost: break
            }
        } catch let error as ServiceError {
            try await end(row, as: .failed, because: error.rehearsalProblem)
        } catch let error as ValueError {
            try await end(row, as: .failed, because: "Its audience cannot be selected: \(error.message)")
        } catch StoreError.tooExpensive(let seconds) {
            try await end(row, as: .failed, because: "\(StoreError.tooExpensive(seconds: seconds))")
        } catch is CancellationError {
            try await giveBack(row)
        }
    }

    private func giveBack(_ row: RehearsalRow) async throws {
        let owner = owner
        try await previews.database.write { try $0.rehearsals.giveBack(row.id, owner: owner) }
    }

    private func end(
        _ row: RehearsalRow, as status: RehearsalStatus, _ figures: RehearsalFigures? = nil,
        because problem: String? = nil
    ) async throws {
        let (owner, now) = (owner, environment.now())
        try await previews.database.write { connection in
            try connection.rehearsals.end(
                row.id, owner: owner, as: status, figures: figures, problem: problem, now: now
            )
            try connection.rehearsals.prune(row.campaign, keeping: RehearsalService.keptPerCampaign)
        }
    }

    package func renewLeases() async -> Bool {
        let (owner, ids) = (owner, await held.leased)
        guard !ids.isEmpty else { return true }
        do {
            try await previews.database.write { [environment] connection in
                let until = environment.now().addingTimeInterval(LeaseTerm.length)
                try connection.rehearsals.renew(ids, owner: owner, until: until)
            }
            return true
        } catch {
            logger.failed("leases of rehearsals cannot be renewed", error)
            return false
        }
    }
}

extension ServiceError {
    /// Why a campaign cannot be rehearsed as it is, in a sentence.
    fileprivate var rehearsalProblem: String {
        switch self {
        case .invalid(let field, let error): "\(field): \(error.message)"
        case .invalidFields(let first, let others):
            "\(first.field): \(first.error.message)" + (others.isEmpty ? "" : " And \(others.count) more.")
        case .conflict(_, let message): message
        case .notFound, .unknownApp: "The campaign is gone."
        default: "The campaign cannot be rehearsed as it is."
        }
    }
}
