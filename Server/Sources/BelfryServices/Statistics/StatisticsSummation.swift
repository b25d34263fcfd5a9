import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Logging
import ServiceLifecycle

/// Sums up the ledger for the pages with figures of days and hours (CON-4): often for campaigns in progress, seldom for
/// those that have ended, and after a month no longer. Sends do no work for it, and each sum is computed from the rows
/// themselves (LED-3). Every hour, and more often in a small app, it counts the devices that may get pushes.
package struct StatisticsSummation: Service {
    /// Seconds between two checks for due work. It is short, because people wait for the figures of a campaign that
    /// they have just launched.
    static let lookInterval: TimeInterval = 10
    /// Seconds between two sums of a campaign in progress.
    static let interval: TimeInterval = 60
    /// Seconds between two counts of an app's devices.
    static let consentInterval: TimeInterval = 3_600
    /// An app with fewer devices is counted more often: a count is quick, and a few devices change the figures.
    static let fewDevices = 1_000
    /// Seconds for which one process leases the summation. Each campaign renews the lease, and a large one after each
    /// ``renewal``.
    static let lease: TimeInterval = 60
    /// Seconds after which the lease is renewed.
    private static let renewal: TimeInterval = 15
    /// How many campaigns are looked up at a time.
    static let campaigns = 50
    /// The most rows of the ledger that one statement reads.
    static let rows = 20_000

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let attempts: WorkAttempts
    let logger: Logger
    private let clock: ClockWatch

    /// - Parameter clock: this worker's clock watch; other parts may report times to it.
    package init(
        database: any SQLDatabase, environment: ServerEnvironment, attempts: WorkAttempts, logger: Logger,
        clock: ClockWatch = ClockWatch()
    ) {
        self.database = database
        self.environment = environment
        self.attempts = attempts
        self.logger = logger
        self.clock = clock
    }

    package func run() async {
        await environment.repeatUntilShutdown(every: Self.lookInterval) { await sumUp() }
    }

    /// Sums up all that is due. Work that fails is tried again a minute later. Work that fails or ends the process each
    /// time is quarantined (SEC-8).
    package func sumUp() async {
        do {
            let isSetBack = try await noticesSetBack()
            var isDue = isSetBack
            if !isDue { isDue = try await isAnythingDue() }
            guard isDue, try await attempts.begin(.upkeep(.statistics), lease: Self.lease) else { return }
            if isSetBack { try await meetSetBack() }
            try await sumAll()
            let owner = attempts.owner
            try await database.write(turn: .unsynced) { try $0.workAttempts.end(.upkeep(.statistics), of: owner) }
        } catch is CancellationError {
            return
        } catch {
            await attempts.ended(.upkeep(.statistics), by: error, rest: Self.interval)
            logger.failed("the ledger cannot be summed up", error)
        }
    }

    private func noticesSetBack() async throws -> Bool {
        let now = environment.now()
        if clock.isToLook(at: now) {
            let latest = try await database.read { connection in
                try connection.statistics.latestMoment(apps: connection.apps.all().map(\.id), now: now)
            }
            clock.looked(at: now, found: latest)
        }
        return clock.isSetBack(at: now)
    }

    /// After a clock was set back, makes due now what was summed up or counted at later times by the former clock
    /// (REL-6).
    private func meetSetBack() async throws {
        let now = environment.now()
        try await database.write(turn: .patient) { connection in
            let days = try connection.apps.all().map { app in
                (app: app.id, day: CalendarDay(now, in: app.settings.zone).number)
            }
            try connection.statistics.hasten(days: days, now: now)
        }
        clock.reset(to: now)
    }

    private func isAnythingDue() async throws -> Bool {
        let now = environment.now()
        return try await database.read { connection in
            guard try connection.statistics.campaignsToSum(now: now, limit: 1).isEmpty else { return true }
            let apps = try connection.apps.all()
            return try apps.contains { try Self.isConsentDue($0, among: apps.count, now: now, in: connection) }
        }
    }

    private static func isConsentDue(
        _ app: AppRecord, among apps: Int, now: Date, in connection: any SQLConnection
    ) throws -> Bool {
        let today = CalendarDay(now, in: app.settings.zone).number
        guard let last = try connection.statistics.lastConsent(app: app.id, through: today) else { return true }
        return now.timeIntervalSince(last.countedAt) >= consentPause(devices: last.devices, apps: apps)
    }

    /// Seconds between two counts of an app. All small apps together are counted at most once a second.
    static func consentPause(devices: Int, apps: Int) -> TimeInterval {
        devices < fewDevices ? min(consentInterval, max(interval, TimeInterval(apps))) : consentInterval
    }

    private func sumAll() async throws {
        let now = environment.now()
        let apps = try await database.read { try $0.apps.all() }
        let zones = apps.reduce(into: [Int64: TimeZone]()) { $0[$1.id] = $1.settings.zone }
        var isMore = true
        while isMore {
            try Task.checkCancellation()
            // Campaigns that were just summed up are due later, so the query does not find them again.
            let due = try await database.read {
                try $0.statistics.campaignsToSum(now: now, limit: Self.campaigns)
            }
            for campaign in due { try await sum(campaign, zone: zones[campaign.app] ?? .gmt) }
            isMore = due.count == Self.campaigns
        }
        var renewed = environment.now()
        for app in apps {
            try await countConsent(of: app, among: apps.count)
            renewed = try await renewLease(since: renewed)
        }
    }

    /// Renews the lease when it is time, so that no other process does the same work in the meantime.
    ///
    /// - Returns: when it was last renewed.
    private func renewLease(since last: Date) async throws -> Date {
        let now = environment.now()
        // A clock that was set back does not delay the renewal.
        guard abs(now.timeIntervalSince(last)) >= Self.renewal else { return last }
        let (owner, until) = (attempts.owner, now.addingTimeInterval(Self.lease))
        try await database.write(turn: .unsynced) {
            try $0.workAttempts.renew(.upkeep(.statistics), of: owner, until: until)
        }
        return now
    }

    private func sum(_ campaign: CampaignToSum, zone: TimeZone) async throws {
        let start = environment.now()
        var renewed = start
        var quarters: [Int64: LedgerSums] = [:]
        var outcomes = OutcomeSums()
        var device: Int64 = 0
        while let last = try await lastDevice(of: campaign, after: device) {
            let part = (device + 1)...last
            let present = environment.now()
            let (sums, ends) = try await database.read { connection in
                (
                    try connection.statistics.sums(
                        of: campaign.id, launched: campaign.launchedAt, now: present, devices: part),
                    try connection.statistics.outcomes(of: campaign.id, devices: part)
                )
            }
            quarters.merge(sums) { $0 + $1 }
            outcomes.add(ends)
            device = last
            renewed = try await renewLease(since: renewed)
        }
        let found = quarters.sorted { $0.key < $1.key }.map { quarter, sums in
            (day: Self.day(of: quarter, in: zone), sums: QuarterSums(quarter: quarter, sums: sums))
        }
        let now = environment.now()
        let next = Self.next(after: now, campaign, took: now.timeIntervalSince(start))
        let (owner, lease) = (attempts.owner, now.addingTimeInterval(Self.lease))
        try await database.write(turn: .patient) { [outcomes] connection in
            // If rows were removed during the read, these sums are incomplete, and the stored ones stay.
            guard try !connection.ledgerRetention.hasBegun(campaign.id) else { return }
            try connection.statistics.replace(outcomes, of: campaign)
            try connection.statistics.replace(found, of: campaign, now: now, next: next)
            try connection.workAttempts.beginAnew(.upkeep(.statistics), reached: nil, of: owner, until: lease)
        }
    }

    private func lastDevice(of campaign: CampaignToSum, after device: Int64) async throws -> Int64? {
        try await database.read {
            try $0.statistics.lastDevice(of: campaign.id, after: device, limit: Self.rows)
        }
    }

    private static func day(of quarter: Int64, in zone: TimeZone) -> Int64 {
        CalendarDay(Date(milliseconds: quarter * QuarterSums.length), in: zone).number
    }

    /// When a campaign is summed up again: a minute later while it is in progress and for an hour after its end. Later
    /// only its displays and opens change, so it is summed up every hour for two days, and every day for a month. A
    /// summation that takes long is repeated less often.
    static func next(after now: Date, _ campaign: CampaignToSum, took seconds: TimeInterval) -> Date {
        let pause = seconds * 20
        guard let ended = campaign.endedAt else { return now.addingTimeInterval(max(interval, pause)) }
        switch now.timeIntervalSince(ended) {
        case ..<3_600: return now.addingTimeInterval(max(interval, pause))
        case ..<172_800: return now.addingTimeInterval(max(3_600, pause))
        case ..<(31 * 86_400): return now.addingTimeInterval(max(86_400, pause))
        default: return StatisticsRepository.neverAgain(asOf: now)
        }
    }

    private func countConsent(of app: AppRecord, among apps: Int) async throws {
        let now = environment.now()
        guard try await database.read({ try Self.isConsentDue(app, among: apps, now: now, in: $0) }) else { return }
        let counter = AudienceCounter(database: database, environment: environment)
        do {
            let devices = try await counter.count(.everyone, app: app)
            let optedIn = try await counter.count(.deviceFact(.pushOptIn, .equal(.boolean(true))), app: app)
            let day = CalendarDay(now, in: app.settings.zone).number
            let count = ConsentDay(day: day, devices: devices, optedIn: optedIn, countedAt: now.milliseconds)
            try await database.write(turn: .patient) { try $0.statistics.save(count, app: app.id) }
        } catch is ServiceError {
            // Other counts are running. This one is due again in a minute.
            logger.debug("the devices of an app cannot be counted now", metadata: ["app": "\(app.code)"])
        }
    }
}
