import BelfryModel
import BelfryStore
import Foundation
import Logging

/// Plans launched campaigns and sends them in leased batches (PUSH-5, PUSH-6).
package struct CampaignDispatcher: PushWorker {
    /// The most batches in work: enough to keep the connections busy, few enough to limit memory.
    static let slots = 17
    /// The most batches of one app in work. One slot is left for other apps, in case this app's push services do not
    /// respond.
    static let slotsPerApp = 16
    /// The most pushes of one app that this process has handed over and not recorded in the ledger yet.
    package static let mostUnderWay = slotsPerApp * SendsUnderWay.window
    /// The most batches that one transaction makes due after a clock was set back.
    private static let hastenedAtOnce = 1_000
    /// Seconds of planning after which the worker checks what can be sent.
    private static let planningPatience: TimeInterval = 1

    package static var planningFailure: Logger.Message { "campaigns cannot be planned" }
    package static var sendingFailure: Logger.Message { "campaigns cannot be dispatched" }
    package static var renewalFailure: Logger.Message { "leases cannot be renewed" }

    let owner: String
    package let pipeline: PushPipeline
    package let work: AsyncSignal
    private let planner: CampaignPlanner
    package let held = HeldWork<Batch>()
    private let clock: ClockWatch

    /// - Parameters:
    ///   - owner: the name of this worker in the leases; no two workers share a name.
    ///   - work: signals that a campaign has changed.
    ///   - clock: this worker's clock watch; other parts may report times to it.
    package init(owner: String, pipeline: PushPipeline, work: AsyncSignal, clock: ClockWatch = ClockWatch()) {
        self.owner = owner
        self.pipeline = pipeline
        self.work = work
        self.clock = clock
        planner = CampaignPlanner(
            database: pipeline.database, environment: pipeline.environment, attempts: pipeline.attempts,
            metrics: pipeline.metrics, traces: pipeline.traces, logger: pipeline.logger
        )
    }

    package func plan() async throws -> Bool {
        var hasMore = false
        let start = environment.now()
        try await meetSetBack(at: start)
        try await planner.startDue()
        let begin = environment.now()
        for _ in 0..<Self.slots {
            hasMore = try await planner.planNext()
            // If an audience takes long to select, other campaigns are sent in between.
            guard hasMore, environment.now().timeIntervalSince(begin) < Self.planningPatience else { break }
        }
        await waited(since: start)
        // After planning, because a cancelled campaign is also planned to its end.
        let hasSwept = try await planner.sweepCancelled(
            except: held.items, includesLeased: held.mayTakeOver(at: environment.now())
        )
        return hasSwept || hasMore
    }

    /// After a clock was set back, retries, rate limits and batches that wait for a later time are due now (REL-6).
    /// Sends that wait for their recipient's own local time keep waiting. Leases stay, and ``LeaseWatch`` judges them:
    /// if this worker's clock is the wrong one, no other worker loses its leases.
    private func meetSetBack(at now: Date) async throws {
        if clock.isToLook(at: now) {
            clock.looked(at: now, found: try await pipeline.database.read { try $0.campaigns.latestMoment() })
        }
        guard clock.isSetBack(at: now) else { return }
        try await pipeline.database.write { try $0.campaigns.forgetNextSends(after: now) }
        var place: BatchRepository.Place?
        repeat {
            place = try await pipeline.database.write { [place] connection in
                try connection.batches.hastenPage(after: place, now: now, limit: Self.hastenedAtOnce)
            }
        } while place != nil
        // Only after the last of them: if a transaction fails before, the next turn starts again.
        clock.reset(to: now)
        pipeline.logger.warning("the clock was set back: work that waited by the former time is due now")
    }

    package func begin(_ group: inout DiscardingTaskGroup) async throws -> Int {
        let free = Self.slots - (await held.count)
        guard free > 0 else { return 0 }
        let found = try await claim(free)
        if let batch = found.alone {
            let round = await held.insert([batch], aloneSince: environment.now())
            group.addTask { await deliver(batch, round, isAlone: true) }
        }
        for batch in found.batches {
            let round = await held.insert([batch])
            group.addTask { await deliver(batch, round, isAlone: false) }
        }
        pipeline.metrics.set(await held.count, "belfry_batches_in_work")
        return found.batches.count + (found.alone == nil ? 0 : 1)
    }

    package func nextDate() async throws -> Date? {
        guard await held.count < Self.slots else { return nil }
        let (now, attempter) = (environment.now(), pipeline.attempts.owner)
        let (underWay, isFree) = (await held.items, await held.mayBeginAlone(at: now))
        let due = try await pipeline.database.read { connection in
            [
                try connection.batches.nextDue(
                    except: underWay, perApp: Self.slotsPerApp, includesLeased: isFree
                ),
                try connection.campaigns.nextScheduled(for: attempter, now: now),
            ]
        }
        return due.compactMap { $0 }.min()
    }

    private func claim(_ limit: Int) async throws -> ClaimedBatches {
        let now = environment.now()
        let (owner, attempter) = (owner, pipeline.attempts.owner)
        let (held, isFree) = (await held.items, await held.mayBeginAlone(at: now))
        let found = try await pipeline.database.write { [environment] connection in
            // Whether a batch is due is judged by the time before the wait for the writer; the leases begin after it.
            let claim = BatchClaim(
                connection: connection, owner: owner, attempter: attempter, now: now,
                until: environment.now().addingTimeInterval(LeaseTerm.length), perApp: Self.slotsPerApp
            )
            return try claim.claim(limit, alone: isFree, except: held)
        }
        pipeline.attempts.report(found.starts)
        // The former holder died, or could not write the end of its attempt.
        if found.alone != nil { pipeline.metrics.add(1, to: "belfry_leases_taken_over_total") }
        return found
    }

    /// - Parameters:
    ///   - round: the round's number in ``held``.
    ///   - isAlone: whether the batch failed before, or was in work when a worker crashed, and may do so again.
    private func deliver(_ batch: Batch, _ round: Int, isAlone: Bool) async {
        do {
            let delivery = BatchDelivery(
                batch: batch, isAlone: isAlone, owner: owner, pipeline: pipeline,
                onProgress: { if await held.progress(of: round) { work.signal() } }
            )
            pipeline.logger.report(try await delivery.run())
            await held.end(round)
            try await delivery.giveBack()
        } catch {
            // The lease expires by itself, and the batch is retried.
            pipeline.logger.failed(
                "a batch failed and will be retried", error,
                ["campaign": "\(batch.campaign)", "batch": "\(batch.number)"]
            )
            if isAlone { await pipeline.attempts.ended(.batch(batch), by: error) }
            if error.meansDamage { await rest(batch, round) }
        }
        await logPause(batch.campaign)
        await held.remove(round)
        pipeline.metrics.set(await held.count, "belfry_batches_in_work")
        work.signal()
    }

    /// Leases a batch for longer after a damaged database made it fail: with an ordinary lease it would be the first to
    /// be claimed again (SEC-8).
    private func rest(_ batch: Batch, _ round: Int) async {
        // Otherwise the next renewal would shorten the lease.
        await held.end(round)
        do {
            try await pipeline.database.write(turn: .unsynced) { [owner, environment] connection in
                let end = environment.now().addingTimeInterval(WorkAttempts.restAtDamage)
                _ = try connection.batches.renew([batch], owner: owner, until: end)
            }
        } catch {
            pipeline.logger.failed(
                "the lease of a failed batch cannot be prolonged to delay its retry", error,
                ["campaign": "\(batch.campaign)", "batch": "\(batch.number)"]
            )
        }
    }

    /// Logs that a campaign was paused by the server (REG-33, REG-35).
    private func logPause(_ id: CampaignID) async {
        // This runs after every batch, so the large row is read only when the campaign is paused.
        let paused = try? await pipeline.database.read { connection in
            try connection.campaigns.status(of: id) == .paused ? connection.campaigns.find(id) : nil
        }
        guard let campaign = (paused ?? nil)?.campaign else { return }
        pipeline.logger.warning(
            "campaign paused",
            metadata: ["campaign": "\(id)", "app": "\(campaign.app)", "reason": "\(campaign.statusReason ?? "none")"]
        )
    }

    package func renew(_ batches: [Batch]) async throws {
        let kept = try await pipeline.database.write { [owner, environment] connection in
            let until = environment.now().addingTimeInterval(LeaseTerm.length)
            return try connection.batches.renew(batches, owner: owner, until: until)
        }
        // A batch that was given back meanwhile is not a lost lease.
        let lost = await held.leased.filter { batches.contains($0) && !kept.contains($0) }
        guard !lost.isEmpty else { return }
        pipeline.metrics.add(lost.count, to: "belfry_leases_lost_total")
        pipeline.logger.warning("leases were lost", metadata: ["count": "\(lost.count)"])
    }
}
