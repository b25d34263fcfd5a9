import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A rehearsal, as the layers above use it.
package struct Rehearsal: Hashable, Sendable {
    package let id: Int64
    package let campaign: CampaignID
    /// The ``DraftVersion`` of the rehearsed draft.
    package let version: String
    package let status: RehearsalStatus
    package let requestedAt: Date
    package let startedAt: Date?
    package let endedAt: Date?
    /// The time of the rehearsed launch.
    package let launchAt: Date?
    /// The share of the app's devices that was examined, 0 to 1.
    package let progress: Double
    /// The number of devices in the audience, as far as it is known.
    package let audience: Int
    /// Why the rehearsal failed, in a sentence.
    package let problem: String?
    /// The figures; nil before the rehearsal is done.
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

/// Rehearsals of campaigns before their launch (CON-12, CON-13).
package struct RehearsalService: Sendable {
    /// The rehearsals that are kept of each campaign: the newest that have ended, in addition to those that approvals
    /// refer to.
    package static let keptPerCampaign = 5
    /// The most rehearsals that a campaign can have: those that are kept, and two that have not ended or are about to
    /// be deleted.
    static let mostOfCampaign = keptPerCampaign + RehearsalRepository.decisionsKept + 2
    /// The most waiting rehearsals of one app.
    package static let maximumWaiting = 20
    /// Days of recorded sessions on which in-app triggers are tried.
    package static let recordedDays = RehearsalReading.recordedDays
    /// For how many outcomes some devices are shown, and how many for each.
    package static let sampledOutcomes = 20
    package static let samplesOfEach = 3

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let work: AsyncSignal

    package init(database: any SQLDatabase, environment: ServerEnvironment, work: AsyncSignal) {
        self.database = database
        self.environment = environment
        self.work = work
    }

    /// Requests a rehearsal of a campaign in its present version. If one for the same version waits or runs, it is
    /// returned instead.
    ///
    /// - Parameter key: the key of a form that may be submitted twice: the rehearsal that the form has requested for
    ///   this version is returned again.
    package func start(_ id: CampaignID, once key: FormKey? = nil, app: AppRecord) async throws -> Rehearsal {
        defer { work.announce() }
        let (now, form) = (environment.now(), "rehearsal:\(app.id):\(id)")
        return try await database.write { connection in
            let campaign = try AppLookup(connection: connection, app: app.id).rehearsed(id)
            try campaign.requireRehearsable()
            let version = try DraftVersion(campaign.draft).text
            if let row = try key?.earlier(form, now: now, connection), row.requestHash == Array(version.utf8),
                let number: Int64 = WholeNumber.read(row.body), let known = try connection.rehearsals.find(number),
                known.campaign == id
            {
                return Rehearsal(known)
            }
            let started = try Self.start(id, version: version, app: app, now: now, in: connection)
            try key?.note(String(started.id), by: form, hash: Array(version.utf8), now: now, connection)
            return started
        }
    }

    private static func start(
        _ id: CampaignID, version: String, app: AppRecord, now: Date, in connection: any SQLConnection
    ) throws -> Rehearsal {
        let known = try connection.rehearsals.list(of: id, limit: keptPerCampaign + 1)
        if let open = known.first(where: { $0.status.isOpen }) {
            if open.version == version { return Rehearsal(open) }
            // The version that it rehearses is outdated.
            try connection.rehearsals.cancel(open.id, now: now)
            try connection.rehearsals.prune(id, keeping: keptPerCampaign)
        }
        guard try connection.rehearsals.waiting(app: app.id) < maximumWaiting else {
            throw ServiceError.tooManyCalls(
                limit: "rehearsals",
                message: "\(maximumWaiting) rehearsals wait already. Try again when some have ended.",
                retryAfter: 10
            )
        }
        let number = try connection.rehearsals.insert(campaign: id, app: app.id, version: version, now: now)
        guard let row = try connection.rehearsals.find(number) else {
            throw StoreError.corrupted(table: "rehearsals", key: String(number))
        }
        return Rehearsal(row)
    }

    /// The version that a rehearsal would be about now; for a launched in-app message that of the waiting change. Nil
    /// if no rehearsal can be started.
    package func nextVersion(of id: CampaignID, app: AppRecord) async throws -> String? {
        try await database.read { connection in
            let campaign = try AppLookup(connection: connection, app: app.id).rehearsed(id)
            guard campaign.isRehearsable else { return nil }
            return try DraftVersion(campaign.draft).text
        }
    }

    /// A rehearsal of a campaign, with the version of the draft that it is about. Approvals use it as well.
    package func find(_ number: Int64, of id: CampaignID, app: AppRecord) async throws -> Rehearsal {
        try await database.read { connection in
            Rehearsal(try RehearsalLookup(connection: connection, app: app).rehearsal(number, of: id))
        }
    }

    /// The rehearsals of a campaign, newest first.
    package func list(of id: CampaignID, app: AppRecord) async throws -> [Rehearsal] {
        try await database.read { connection in
            _ = try AppLookup(connection: connection, app: app.id).campaign(id)
            return try connection.rehearsals.list(of: id, limit: Self.mostOfCampaign).map(Rehearsal.init)
        }
    }

    /// Cancels a rehearsal that waits or runs, and deletes its results. The call may be repeated.
    package func cancel(_ number: Int64, of id: CampaignID, app: AppRecord) async throws -> Rehearsal {
        let now = environment.now()
        return try await database.write { connection in
            let lookup = RehearsalLookup(connection: connection, app: app)
            _ = try lookup.rehearsal(number, of: id)
            try connection.rehearsals.cancel(number, now: now)
            let cancelled = Rehearsal(try lookup.rehearsal(number, of: id))
            // Workers do not handle cancelled rehearsals, so old ones are deleted here.
            try connection.rehearsals.prune(id, keeping: Self.keptPerCampaign)
            return cancelled
        }
    }

    /// The rehearsal to compare with: the campaign's newest that is done and older than this one.
    package func former(of rehearsal: Rehearsal) async throws -> Rehearsal? {
        try await database.read { connection in
            try connection.rehearsals.list(
                of: rehearsal.campaign, before: rehearsal.id, limit: Self.mostOfCampaign
            ).first { $0.status == .done }.map(Rehearsal.init)
        }
    }

    /// Some devices of each outcome, the most frequent outcomes first.
    package func samples(of rehearsal: Rehearsal) async throws -> [RehearsedPerson] {
        let outcomes = (rehearsal.figures?.outcomes ?? []).sorted { $1.count < $0.count }
        var samples: [RehearsedPerson] = []
        for entry in outcomes.prefix(Self.sampledOutcomes) {
            let selection = RehearsedSelection(outcome: entry.outcome)
            samples += try await people(in: rehearsal, selection, limit: Self.samplesOfEach).people
        }
        return samples
    }
}

/// Finds the rehearsal that a call names, or throws an error of the kind "not found".
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
