import BelfryModel
import BelfryStore
import Foundation
import Logging

/// Keeps in-app campaigns' ledgers, and wakes the devices that have something to fetch, within their budget (PUSH-7,
/// IAM-2). It has a loop of its own, so that campaigns that people wait for do not wait for it.
package struct SilentPushSender: LeasedWork {
    /// How long pushes are lent, and how often the loan is prolonged, in seconds.
    static let lease: TimeInterval = 15
    package static let renewal: TimeInterval = 5
    /// Rounds under way at once.
    static let slots = 4
    /// Those of one app: the last slot is another app's, should this one's push services not answer.
    static let slotsPerApp = 3
    /// Slices of audiences and of ledgers that are walked between two looks at what is due.
    static let slices = 4
    /// How long it rests when the database fails, and the longest it waits without looking, in seconds.
    static let restAfterFailure: TimeInterval = 1
    static let longestWait: TimeInterval = 5

    let owner: String
    let database: any SQLDatabase
    package let environment: ServerEnvironment
    let attempts: WorkAttempts
    let accounts: PushAccounts
    let carrier: any PushCarrier
    let keys: ServerKeys
    let metrics: Metrics
    package let work: WakeUp
    let logger: Logger
    private let starts: CampaignPlanner
    private let planner: InAppPlanner
    private let held = HeldSilentPushes()
    private let watches = SilentPushWatches()

    /// - Parameters:
    ///   - owner: names this worker in the leases; no two workers share a name.
    ///   - work: rings when a campaign has changed.
    package init(
        owner: String, database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts,
        accounts: PushAccounts, carrier: any PushCarrier, keys: ServerKeys, metrics: Metrics, work: WakeUp,
        logger: Logger
    ) {
        self.owner = owner
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.accounts = accounts
        self.carrier = carrier
        self.keys = keys
        self.metrics = metrics
        self.work = work
        self.logger = logger
        starts = CampaignPlanner(database: database, environment: environment, attempts: attempts, logger: logger)
        planner = InAppPlanner(database: database, environment: environment, attempts: attempts, logger: logger)
    }

    package func turn(_ group: inout DiscardingTaskGroup) async -> WorkTurn {
        var rounds = 0
        let planning = await plan()
        do {
            rounds = try await takeUp(&group)
            if planning == .more { return WorkTurn(next: environment.now(), begun: rounds) }
            let wait = planning == .failed ? Self.restAfterFailure : Self.longestWait
            let latest = environment.now().addingTimeInterval(wait)
            return WorkTurn(next: min(latest, try await nextDate() ?? latest), begun: rounds)
        } catch {
            if !(error is CancellationError) {
                logger.failed("silent pushes cannot be sent", error)
            }
            return WorkTurn(next: environment.now().addingTimeInterval(Self.restAfterFailure), begun: rounds)
        }
    }

    private enum Planning {
        case done, more, failed
    }

    /// Brings the ledgers a little further. What fails here is tried again, and stops no push.
    private func plan() async -> Planning {
        do {
            try await starts.startDue()
            try await planner.completeEnded()
            for _ in 0..<Self.slices {
                let hasPlanned = try await planner.planNext()
                let hasClosed = try await planner.closeNext()
                guard hasPlanned || hasClosed else { return .done }
            }
            return .more
        } catch is CancellationError {
            return .failed
        } catch {
            logger.failed("in-app campaigns cannot be planned", error)
            return .failed
        }
    }

    /// - Returns: how many rounds were begun.
    private func takeUp(_ group: inout DiscardingTaskGroup) async throws -> Int {
        var rounds = try await takeUpAlone(&group)
        var apps = try await dueApps()
        while !apps.isEmpty, await held.count < Self.slots {
            let app = apps.removeFirst()
            let pushes = try await take(of: app)
            guard !pushes.isEmpty else { continue }
            let number = await held.insert(pushes.map(\.device), of: app)
            group.addTask { await send(pushes, of: app, number, isAlone: false) }
            rounds += 1
            // Behind the others, with what it still has.
            if await held.count(of: app) < Self.slotsPerApp { apps.append(app) }
        }
        return rounds
    }

    /// One push that was under way when a worker died, or has failed before, if nothing like it is under way.
    ///
    /// - Returns: how many rounds were begun.
    private func takeUpAlone(_ group: inout DiscardingTaskGroup) async throws -> Int {
        let now = environment.now()
        guard await held.count < Self.slots, await held.mayBeginAlone(at: now) else { return 0 }
        let (owner, attempter) = (owner, attempts.owner)
        let (devices, apps) = (await held.devices, await held.apps(with: Self.slotsPerApp))
        // Most of the time there is none, and to see that takes no turn of the writer.
        let isAny = try await database.read {
            try !$0.silentPushes.abandoned(now: now, limit: 1, except: devices, apps: apps).isEmpty
        }
        guard isAny else { return 0 }
        let found = try await database.write(turn: .patient) { connection in
            try connection.takeSilentPushAlone(
                owner: owner, attempter: attempter, now: now, until: now.addingTimeInterval(Self.lease),
                except: devices, apps: apps
            )
        }
        attempts.tell(of: found.starts)
        guard let push = found.push else { return 0 }
        let number = await held.insertAlone(push.device, of: found.app, at: now)
        group.addTask { await send([push], of: found.app, number, isAlone: true) }
        return 1
    }

    /// The apps that owe something by now and have a slot, who waits longest first.
    private func dueApps() async throws -> [Int64] {
        let now = environment.now()
        return try await waiting().filter { $0.value <= now }.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
            .map(\.key)
    }

    /// When something is due, of the apps that have a slot.
    private func waiting() async throws -> [Int64: Date] {
        guard await held.count < Self.slots else { return [:] }
        let (devices, isFree) = (await held.devices, await held.mayBeginAlone(at: environment.now()))
        var dates = try await database.read {
            try $0.silentPushes.nextDue(except: devices, includesLent: isFree)
        }
        for app in dates.keys where await held.count(of: app) >= Self.slotsPerApp { dates[app] = nil }
        return dates
    }

    private func nextDate() async throws -> Date? {
        // With no slot free, the round that ends next rings.
        let dates = try await waiting().values.min()
        return [dates, try await planner.nextDate()].compactMap(\.self).min()
    }

    private func take(of app: Int64) async throws -> [TakenSilentPush] {
        let (owner, devices) = (owner, await held.devices)
        let now = environment.now()
        return try await database.write(turn: .patient) { connection in
            try connection.takeSilentPushes(
                of: app, owner: owner, now: now, until: now.addingTimeInterval(Self.lease),
                limit: SilentPushRound.size, except: devices
            )
        }
    }

    private func send(_ pushes: [TakenSilentPush], of app: Int64, _ number: Int, isAlone: Bool) async {
        do {
            try await SilentPushRound(
                app: app, pushes: pushes, isAlone: isAlone, owner: owner, database: database, environment: environment,
                accounts: accounts, carrier: carrier, keys: keys, watches: watches, metrics: metrics, logger: logger,
                onEnd: { devices in
                    await held.remove(devices, from: number)
                    work.signal()
                }
            ).run()
        } catch {
            // The leases end by themselves and the pushes are taken up again.
            logger.failed("silent pushes failed and will be taken up again", error)
            if isAlone {
                for push in pushes { await attempts.ended(.silentPush(device: push.device), by: error) }
            }
        }
        await held.remove(number)
        work.signal()
    }

    package func renewLeases() async {
        let (owner, devices) = (owner, await held.devices)
        guard !devices.isEmpty else { return }
        let until = environment.now().addingTimeInterval(Self.lease)
        do {
            try await database.write { try $0.silentPushes.renew(devices, owner: owner, until: until) }
        } catch {
            logger.failed("leases of silent pushes cannot be renewed", error)
        }
    }
}
