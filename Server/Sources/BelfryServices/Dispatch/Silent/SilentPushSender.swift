import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Logging

/// Plans the ledgers of in-app campaigns, and wakes devices that have something to fetch, within their budget (PUSH-7,
/// IAM-2). It is a worker of its own, so that campaigns that people wait for do not wait for it.
package struct SilentPushSender: PushWorker {
    /// The most rounds in work.
    static let slots = 4
    /// The most rounds of one app in work. The last slot is left for other apps, in case this app's push services do
    /// not respond.
    static let slotsPerApp = 3
    /// The steps of audiences and ledgers that are planned before the worker checks what is due.
    static let slices = 4

    package static var planningFailure: Logger.Message { "in-app campaigns cannot be planned" }
    package static var sendingFailure: Logger.Message { "silent pushes cannot be sent" }
    package static var renewalFailure: Logger.Message { "leases of silent pushes cannot be renewed" }

    let owner: String
    package let pipeline: PushPipeline
    package let work: AsyncSignal
    private let starts: CampaignPlanner
    private let planner: InAppPlanner
    package let held = HeldWork<Int64>()
    private let clock: ClockWatch
    private let breaker = SilentPushCircuitBreaker()

    /// - Parameters:
    ///   - owner: the name of this worker in the leases; no two workers share a name.
    ///   - work: signals that a campaign has changed.
    ///   - clock: this worker's clock watch; other parts may report times to it.
    package init(owner: String, pipeline: PushPipeline, work: AsyncSignal, clock: ClockWatch = ClockWatch()) {
        self.owner = owner
        self.pipeline = pipeline
        self.work = work
        self.clock = clock
        starts = CampaignPlanner(
            database: pipeline.database, environment: pipeline.environment, attempts: pipeline.attempts,
            logger: pipeline.logger
        )
        planner = InAppPlanner(
            database: pipeline.database, environment: pipeline.environment, attempts: pipeline.attempts,
            traces: pipeline.traces, logger: pipeline.logger
        )
    }

    package func plan() async throws -> Bool {
        try await meetSetBack(at: environment.now())
        try await starts.startDue()
        try await planner.completeEnded()
        for _ in 0..<Self.slices {
            let hasPlanned = try await planner.planNext()
            let hasClosed = try await planner.closeNext()
            guard hasPlanned || hasClosed else { return false }
        }
        return true
    }

    /// After a clock was set back, a push that waits for a time by the former clock is sent as soon as the budget
    /// certainly has room (REL-6, PUSH-7). The clock may have been set back before this process started, or may have
    /// been another process's, and by a right clock no push waits for so long: so the waits are also checked from time
    /// to time. If this worker's clock is the wrong one, a worker with a right clock sees, when it claims such a push,
    /// that it is too early.
    private func meetSetBack(at now: Date) async throws {
        let (isToLook, isSetBack) = (clock.isToLook(at: now), clock.isSetBack(at: now))
        guard isToLook || isSetBack else { return }
        try await pipeline.database.write(turn: .patient) { connection in
            try connection.silentPushes.hasten(
                of: connection.apps.all().map(\.id), after: now.addingTimeInterval(SilentPushBudget.longestWait),
                to: now.addingTimeInterval(SilentPushBudget.interval)
            )
        }
        clock.looked(at: now)
        clock.reset(to: now)
    }

    package func begin(_ group: inout DiscardingTaskGroup) async throws -> Int {
        var rounds = try await beginAlone(&group)
        var apps = try await dueApps()
        while !apps.isEmpty, await held.count < Self.slots {
            let app = apps.removeFirst()
            let pushes = try await claim(of: app)
            guard !pushes.isEmpty else { continue }
            let round = await held.insert(pushes.map(\.device), of: app)
            group.addTask { await send(pushes, of: app, round, isAlone: false) }
            rounds += 1
            // The app goes to the end of the queue for its next round.
            if await held.count(of: app) < Self.slotsPerApp { apps.append(app) }
        }
        return rounds
    }

    /// Begins a round for one push that failed before or was in work when a worker crashed, unless another such push is
    /// in work.
    ///
    /// - Returns: the number of rounds that were begun.
    private func beginAlone(_ group: inout DiscardingTaskGroup) async throws -> Int {
        let now = environment.now()
        guard await held.count < Self.slots, await held.mayBeginAlone(at: now) else { return 0 }
        let (owner, attempter) = (owner, pipeline.attempts.owner)
        let (devices, apps) = (await held.items, await held.apps(with: Self.slotsPerApp))
        // Usually there is none, and a read does not occupy the writer.
        let isAny = try await pipeline.database.read {
            try !$0.silentPushes.abandoned(now: now, limit: 1, except: devices, apps: apps).isEmpty
        }
        guard isAny else { return 0 }
        let found = try await pipeline.database.write(turn: .patient) { [environment] connection in
            let claim = SilentPushClaim(
                connection: connection, owner: owner, now: now,
                until: environment.now().addingTimeInterval(LeaseTerm.length)
            )
            return try claim.claimAlone(attempter: attempter, except: devices, apps: apps)
        }
        pipeline.attempts.report(found.starts)
        guard let push = found.push else { return 0 }
        let round = await held.insert([push.device], of: found.app, aloneSince: now)
        group.addTask { await send([push], of: found.app, round, isAlone: true) }
        return 1
    }

    /// The apps that have pushes due and a free slot; the one that has waited longest comes first.
    private func dueApps() async throws -> [Int64] {
        let now = environment.now()
        return try await waiting().filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            .map(\.key)
    }

    /// When the next push is due, for each app that has a free slot.
    private func waiting() async throws -> [Int64: Date] {
        guard await held.count < Self.slots else { return [:] }
        let (devices, isFree) = (await held.items, await held.mayBeginAlone(at: environment.now()))
        var dates = try await pipeline.database.read {
            try $0.silentPushes.nextDue(except: devices, includesLeased: isFree)
        }
        for app in dates.keys where await held.count(of: app) >= Self.slotsPerApp { dates[app] = nil }
        return dates
    }

    package func nextDate() async throws -> Date? {
        let next = try await waiting().values.min()
        return [next, try await planner.nextDate()].compactMap(\.self).min()
    }

    private func claim(of app: Int64) async throws -> [ClaimedSilentPush] {
        let (owner, devices) = (owner, await held.items)
        let now = environment.now()
        return try await pipeline.database.write(turn: .patient) { [environment] connection in
            let claim = SilentPushClaim(
                connection: connection, owner: owner, now: now,
                until: environment.now().addingTimeInterval(LeaseTerm.length)
            )
            return try claim.claim(of: app, limit: SilentPushRound.size, except: devices)
        }
    }

    /// - Parameter round: the round's number in ``held``.
    private func send(_ pushes: [ClaimedSilentPush], of app: Int64, _ round: Int, isAlone: Bool) async {
        do {
            try await SilentPushRound(
                app: app, pushes: pushes, isAlone: isAlone, owner: owner, pipeline: pipeline, breaker: breaker,
                onEnd: { devices in
                    await held.remove(devices, from: round)
                    work.signal()
                }
            ).run()
        } catch {
            // The leases expire by themselves, and the pushes are retried.
            pipeline.logger.failed("silent pushes failed and will be retried", error)
            if isAlone {
                for push in pushes { await pipeline.attempts.ended(.silentPush(device: push.device), by: error) }
            }
        }
        await held.remove(round)
        work.signal()
    }

    package func renew(_ devices: [Int64]) async throws {
        try await pipeline.database.write { [owner, environment] connection in
            let until = environment.now().addingTimeInterval(LeaseTerm.length)
            try connection.silentPushes.renew(devices, owner: owner, until: until)
        }
    }
}
