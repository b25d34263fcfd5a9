import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A rehearsal as the layers above hand it on.
package struct Rehearsal: Hashable, Sendable {
    package let id: Int64
    package let campaign: CampaignID
    /// Of the draft that was rehearsed: the same as ``DraftVersion`` of it.
    package let version: String
    package let status: RehearsalStatus
    package let requestedAt: Date
    package let startedAt: Date?
    package let endedAt: Date?
    /// The moment of the launch that was rehearsed.
    package let launchAt: Date?
    /// How much of the app's devices is looked at, 0 to 1.
    package let progress: Double
    /// Devices of the audience, as far as it is known.
    package let audience: Int
    /// Why it failed, in a sentence.
    package let problem: String?
    /// Nil before it is done.
    package let figures: RehearsalFigures?

    package init(
        id: Int64, campaign: CampaignID, version: String, status: RehearsalStatus, requestedAt: Date,
        startedAt: Date? = nil, endedAt: Date? = nil, launchAt: Date? = nil, progress: Double = 0, audience: Int = 0,
        problem: String? = nil, figures: RehearsalFigures? = nil
    ) {
        self.id = id
        self.campaign = campaign
        self.version = version
        self.status = status
        self.requestedAt = requestedAt
        self.startedAt = startedAt
        self.endedAt = endedAt
        self.launchAt = launchAt
        self.progress = progress
        self.audience = audience
        self.problem = problem
        self.figures = figures
    }
}

extension Rehearsal {
    init(_ row: RehearsalRow) {
        let reached = row.lastDevice > 0 ? min(Double(row.reached) / Double(row.lastDevice), 1) : 0
        self.init(
            id: row.id, campaign: row.campaign, version: row.version, status: row.status,
            requestedAt: row.requestedAt, startedAt: row.startedAt, endedAt: row.endedAt, launchAt: row.launchAt,
            progress: row.status == .done ? 1 : reached, audience: row.figures?.audience ?? row.audience,
            problem: row.problem, figures: row.figures
        )
    }
}

/// Some devices behind a number of a rehearsal.
package struct RehearsedPerson: Hashable, Sendable {
    package let device: String
    package let number: Int64
    /// Who uses it now; nil when nobody is known.
    package let contact: Int64?
    package let outcome: RehearsedOutcome
    /// When it would leave, or end.
    package let at: Date
}

/// Rehearsals of campaigns before their launch (CON-12, CON-13).
package struct RehearsalService: Sendable {
    /// Rehearsals that are kept of each campaign: the newest that have ended.
    package static let keptPerCampaign = 5
    /// Rehearsals of one app that wait at a time.
    package static let maximumWaiting = 20
    /// Days of recorded sessions against which in-app triggers are tried.
    package static let recordedDays = RehearsalReading.recordedDays
    /// Outcomes of which some devices are shown, and how many of each.
    package static let sampledOutcomes = 20
    package static let samplesOfEach = 3

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let campaigns: CampaignService
    let work: AsyncSignal

    package init(campaigns: CampaignService, work: AsyncSignal) {
        database = campaigns.database
        environment = campaigns.environment
        self.campaigns = campaigns
        self.work = work
    }

    /// Asks for a rehearsal of a campaign as it is now. One that waits or runs for the same version is given instead.
    package func start(_ id: CampaignID, app: AppRecord) async throws -> Rehearsal {
        defer { work.signal() }
        let now = environment.now()
        return try await database.write { connection in
            let campaign = try AppLookup(connection: connection, app: app.id).rehearsed(id)
            try campaign.requireRehearsable()
            let version = try DraftVersion(campaign.draft).text
            let known = try connection.rehearsals.list(of: id, limit: Self.keptPerCampaign + 1)
            if let open = known.first(where: { $0.status.isOpen }) {
                if open.version == version { return Rehearsal(open) }
                // What it is about is not there any more.
                try connection.rehearsals.cancel(open.id, now: now)
            }
            guard try connection.rehearsals.waiting(app: app.id) < Self.maximumWaiting else {
                throw ServiceError.tooManyCalls(
                    limit: "rehearsals",
                    message: "\(Self.maximumWaiting) rehearsals wait already. Try again when some have ended.",
                    retryAfter: 10
                )
            }
            let number = try connection.rehearsals.insert(campaign: id, app: app.id, version: version, now: now)
            guard let row = try connection.rehearsals.find(number) else {
                throw StoreError.corrupted(table: "rehearsals", key: String(number))
            }
            return Rehearsal(row)
        }
    }

    /// A rehearsal of a campaign, with the version of the draft that it is about; for approvals, too.
    package func find(_ number: Int64, of id: CampaignID, app: AppRecord) async throws -> Rehearsal {
        try await database.read { connection in
            Rehearsal(try RehearsalLookup(connection: connection, app: app).rehearsal(number, of: id))
        }
    }

    /// The rehearsals of a campaign, the newest first.
    package func list(of id: CampaignID, app: AppRecord) async throws -> [Rehearsal] {
        try await database.read { connection in
            _ = try AppLookup(connection: connection, app: app.id).campaign(id)
            return try connection.rehearsals.list(of: id, limit: Self.keptPerCampaign + 2).map(Rehearsal.init)
        }
    }

    /// Ends one that waits or runs; what it has found so far goes. May be repeated.
    package func cancel(_ number: Int64, of id: CampaignID, app: AppRecord) async throws -> Rehearsal {
        let now = environment.now()
        return try await database.write { connection in
            let lookup = RehearsalLookup(connection: connection, app: app)
            _ = try lookup.rehearsal(number, of: id)
            try connection.rehearsals.cancel(number, now: now)
            return Rehearsal(try lookup.rehearsal(number, of: id))
        }
    }

    /// The newest of a campaign that is done and older than another; what that is compared with.
    package func former(of rehearsal: Rehearsal) async throws -> Rehearsal? {
        try await database.read { connection in
            try connection.rehearsals.list(
                of: rehearsal.campaign, before: rehearsal.id, limit: Self.keptPerCampaign + 2
            ).first { $0.status == .done }.map(Rehearsal.init)
        }
    }

    /// Some devices of each outcome, the most frequent outcomes first.
    package func samples(of rehearsal: Rehearsal) async throws -> [RehearsedPerson] {
        let outcomes = (rehearsal.figures?.outcomes ?? []).sorted { $1.count < $0.count }
        var samples: [RehearsedPerson] = []
        for entry in outcomes.prefix(Self.sampledOutcomes) {
            samples += try await people(in: rehearsal, entry.outcome, limit: Self.samplesOfEach)
        }
        return samples
    }

    /// Devices of a rehearsal, in the order of their numbers; those that are gone are left out.
    ///
    /// - Parameters:
    ///   - outcome: only those; nil: all.
    ///   - cursor: the number of the last one that is known.
    package func people(
        in rehearsal: Rehearsal, _ outcome: RehearsedOutcome? = nil, after cursor: Int64? = nil, limit: Int
    ) async throws -> [RehearsedPerson] {
        guard let figures = rehearsal.figures, let launch = rehearsal.launchAt else { return [] }
        let place = outcome.map { outcome in figures.outcomes.firstIndex { $0.outcome == outcome } }
        if let place, place == nil { return [] }
        let wanted = place ?? nil
        return try await database.read { connection in
            var found: [RehearsedPerson] = []
            var last = cursor ?? 0
            while found.count < limit {
                let pages = try connection.rehearsals.pages(of: rehearsal.id, after: last, having: wanted, limit: 1)
                guard let page = pages.first, let end = page.devices.last?.device else { break }
                let chosen = page.devices.filter { $0.device > last && (wanted == nil || $0.outcome == wanted) }
                    .prefix(limit - found.count)
                let clients = try connection.rehearsals.clients(of: chosen.map(\.device))
                found += chosen.compactMap { entry in
                    guard figures.outcomes.indices.contains(entry.outcome), let client = clients[entry.device] else {
                        return nil
                    }
                    return RehearsedPerson(
                        device: client.id, number: entry.device, contact: client.contact,
                        outcome: figures.outcomes[entry.outcome].outcome,
                        at: launch.addingTimeInterval(Double(entry.after))
                    )
                }
                last = end
            }
            return found
        }
    }
}

/// What a call names: found, or refused as not found.
struct RehearsalLookup {
    let connection: any SQLConnection
    let app: AppRecord

    func rehearsal(_ number: Int64, of id: CampaignID) throws -> RehearsalRow {
        _ = try AppLookup(connection: connection, app: app.id).campaign(id)
        guard let row = try connection.rehearsals.find(number), row.campaign == id else {
            throw ServiceError.notFound(what: "rehearsal", id: String(number))
        }
        return row
    }
}
