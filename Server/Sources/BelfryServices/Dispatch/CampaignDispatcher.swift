import BelfryModel
import BelfryStore
import Foundation
import Logging

/// Plans launched campaigns and sends them in leased batches (PUSH-5, PUSH-6).
package struct CampaignDispatcher: LeasedWork {
    /// How long a batch is lent, and how often the loan is prolonged, in seconds.
    static let lease: TimeInterval = 15
    package static let renewal: TimeInterval = 5
    /// Batches under way at once: enough to keep the connections full, few enough to bound memory.
    static let slots = 17
    /// Those of one app: the last slot is another app's, should this one's push services not answer.
    static let slotsPerApp = 16
    /// How long it rests when the database fails, and the longest it waits without looking, in seconds.
    static let restAfterFailure: TimeInterval = 1
    static let longestWait: TimeInterval = 5

    let owner: String
    let database: any SQLDatabase
    package let environment: ServerEnvironment
    let attempts: WorkAttempts
    let planner: CampaignPlanner
    let accounts: PushAccounts
    let carrier: any PushCarrier
    let keys: ServerKeys
    let metrics: Metrics
    package let work: WakeUp
    let logger: Logger
    private let held = HeldBatches()

    /// - Parameter owner: names this worker in the leases; no two workers share a name.
    package init(
        owner: String, database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts,
        accounts: PushAccounts, carrier: any PushCarrier, keys: ServerKeys, metrics: Metrics, work: WakeUp,
        logger: Logger
    ) {
        self.owner = owner
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.planner = CampaignPlanner(
            database: database, environment: environment, attempts: attempts, logger: logger
        )
        self.accounts = accounts
        self.carrier = carrier
        self.keys = keys
        self.metrics = metrics
        self.work = work
        self.logger = logger
    }

    package func turn(_ group: inout DiscardingTaskGroup) async -> WorkTurn {
        var claimed = 0
        let planning = await plan()
        do {
            let free = Self.slots - (await held.count)
            if free > 0 {
                let found = try await claim(free)
                if let batch = found.alone {
                    await held.insertAlone(batch, at: environment.now())
                    group.addTask { await deliver(batch, isAlone: true) }
                }
                for batch in found.batches {
                    await held.insert(batch)
                    group.addTask { await deliver(batch, isAlone: false) }
                }
                claimed = found.batches.count + (found.alone == nil ? 0 : 1)
            }
            if planning == .more { return WorkTurn(next: environment.now(), begun: claimed) }
            let wait = planning == .failed ? Self.restAfterFailure : Self.longestWait
            let latest = environment.now().addingTimeInterval(wait)
            // With no slot free, the batch that ends next rings.
            guard await held.count < Self.slots else { return WorkTurn(next: latest, begun: claimed) }
            let (now, attempter) = (environment.now(), attempts.owner)
            let (underWay, isFree) = (await held.all, await held.mayBeginAlone(at: now))
            let due = try await database.read { connection in
                [
                    try connection.batches.nextDue(
                        except: underWay, perApp: Self.slotsPerApp, includesLent: isFree
                    ),
                    try connection.campaigns.nextScheduled(for: attempter, now: now),
                ]
            }
            return WorkTurn(next: due.compactMap { $0 }.reduce(latest, min), begun: claimed)
        } catch is CancellationError {
            return WorkTurn(next: environment.now().addingTimeInterval(Self.restAfterFailure), begun: claimed)
        } catch {
            logger.failed("campaigns cannot be dispatched", error)
            return WorkTurn(next: environment.now().addingTimeInterval(Self.restAfterFailure), begun: claimed)
        }
    }

    private enum Planning {
        case done, more, failed
    }

    /// Plans a little. What fails here is tried again, and stops no sending.
    private func plan() async -> Planning {
        do {
            var result = Planning.done
            try await planner.startDue()
            for _ in 0..<Self.slots {
                result = try await planner.planNext() ? .more : .done
                guard result == .more else { break }
            }
            // After planning, for a cancelled campaign is planned to its end, too.
            return try await planner.sweepCancelled(except: held.all) ? .more : result
        } catch is CancellationError {
            return .failed
        } catch {
            logger.failed("campaigns cannot be planned", error)
            return .failed
        }
    }

    private func claim(_ limit: Int) async throws -> ClaimedBatches {
        let now = environment.now()
        let (owner, attempter) = (owner, attempts.owner)
        let (held, isFree) = (await held.all, await held.mayBeginAlone(at: now))
        let found = try await database.write { connection in
            let until = now.addingTimeInterval(Self.lease)
            var found = ClaimedBatches()
            if isFree {
                found = try connection.claimAlone(
                    owner: owner, attempter: attempter, until: until, now: now, perApp: Self.slotsPerApp, except: held
                )
            }
            let mine = held + (found.alone.map { [$0] } ?? [])
            found.batches = try connection.batches.claim(
                owner: owner, until: until, now: now, limit: limit - (mine.count - held.count),
                perApp: Self.slotsPerApp, except: mine
            )
            return found
        }
        attempts.tell(of: found.starts)
        return found
    }

    /// - Parameter isAlone: whether it was under way when a worker died, or failed before, and may do so again.
    private func deliver(_ batch: Batch, isAlone: Bool) async {
        do {
            let delivery = BatchDelivery(
                batch: batch, isAlone: isAlone, owner: owner, database: database, environment: environment,
                accounts: accounts, carrier: carrier, keys: keys, metrics: metrics,
                onProgress: { if await held.getsOn(batch) { work.signal() } }
            )
            logger.tell(of: try await delivery.run())
            await held.end(batch)
            try await delivery.giveBack()
        } catch {
            // The lease ends by itself and the batch is taken up again.
            logger.failed(
                "a batch failed and will be taken up again", error,
                ["campaign": "\(batch.campaign)", "batch": "\(batch.number)"]
            )
            if isAlone { await attempts.ended(.batch(batch), by: error) }
        }
        await tellOfPause(batch.campaign)
        await held.remove(batch)
        work.signal()
    }

    /// Operators are told when a campaign has stopped by itself (REG-33, REG-35).
    private func tellOfPause(_ id: CampaignID) async {
        // Its row is long, and every batch asks.
        let paused = try? await database.read { connection in
            try connection.campaigns.status(of: id) == .paused ? connection.campaigns.find(id) : nil
        }
        guard let campaign = (paused ?? nil)?.campaign else { return }
        logger.warning(
            "a campaign is paused",
            metadata: ["campaign": "\(id)", "app": "\(campaign.app)", "reason": "\(campaign.statusReason ?? "none")"]
        )
    }

    package func renewLeases() async {
        let (owner, batches) = (owner, await held.leased)
        guard !batches.isEmpty else { return }
        let until = environment.now().addingTimeInterval(Self.lease)
        do {
            let kept = try await database.write { try $0.batches.renew(batches, owner: owner, until: until) }
            // What has been given back meanwhile was not lost.
            let lost = await held.leased.filter { batches.contains($0) && !kept.contains($0) }
            if !lost.isEmpty {
                logger.warning("leases were lost", metadata: ["count": "\(lost.count)"])
            }
        } catch {
            logger.failed("leases cannot be renewed", error)
        }
    }
}
