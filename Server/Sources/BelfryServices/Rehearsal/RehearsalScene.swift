import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// The start of a rehearsal: the campaign as it will be when it has started, and how its audience is read.
struct RehearsalScene: Sendable {
    /// The simulation that decides about the recipients.
    enum Player: Sendable {
        case sent(RehearsedRounds, beside: RehearsedOthers)
        case inApp(RehearsedInApp)

        mutating func play(_ input: RehearsalInput) -> [RehearsedDelivery] {
            switch self {
            case .sent(var rounds, var others):
                var input = input
                others.play(&input)
                let deliveries = rounds.play(input)
                self = .sent(rounds, beside: others)
                return deliveries
            case .inApp(var inApp):
                let deliveries = inApp.play(input)
                self = .inApp(inApp)
                return deliveries
            }
        }

        /// Sentences about what the simulation could not find out.
        var warnings: [String] {
            switch self {
            case .sent(_, let others): others.warnings
            case .inApp(let inApp): inApp.warnings
            }
        }
    }

    let version: String
    let launch: Date
    let reading: RehearsalReading
    let player: Player
    let warnings: [String]
}

extension CampaignPreviewer {
    /// Reads and compiles the campaign for a rehearsal.
    ///
    /// - Throws: ``ServiceError`` if the campaign cannot be rehearsed as it is.
    func rehearsalScene(of id: CampaignID, app: AppRecord, lastDevice: Int64) async throws -> RehearsalScene {
        let now = environment.now()
        let campaign = try await database.read { try AppLookup(connection: $0, app: app.id).rehearsed(id) }
        try campaign.requireRehearsable()
        let launch = campaign.rehearsedLaunch(now: now)
        let schedule = campaign.draft.schedule
        let cap = campaign.draft.kind.notifies ? schedule?.frequencyCap : nil
        // The last possible send is unknown, because quiet hours and a rate limit delay it.
        let rated = schedule?.ratePerSecond.map { Double(lastDevice) / Double(max($0, 1)) } ?? 0
        let horizon = max(launch, schedule?.lastSend ?? launch).addingTimeInterval(86_400 + rated)
        let found = try await database.read { connection -> OtherCampaigns in
            guard cap != nil else { return OtherCampaigns() }
            return try OtherCampaigns(app: app, before: horizon, except: id, now: now, in: connection)
        }
        let others = found.compiled()
        let obstacles = try await database.read { connection in
            try LaunchObstacles(connection: connection, now: now).sentences(of: campaign, app: app)
        }
        let prepared = try await PreparedPreview(
            of: id, saying: campaign.draft, app: app, now: launch, in: database
        )
        let (player, values, warnings) = prepared.rehearsed(
            campaign, beside: others.loads, launch: launch, now: now, by: tests
        )
        let reading = RehearsalReading(
            campaign: id, app: app, audience: campaign.draft.audience, values: values, launch: launch, now: now,
            lastDevice: lastDevice, cap: cap, isSilent: campaign.draft.kind == .silent,
            center: campaign.draft.keptCenter,
            trigger: campaign.draft.inApp?.trigger?.eventName, others: others.notifications,
            readsAttributes: campaign.draft.inApp?.trigger?.filter != nil
        )
        return RehearsalScene(
            version: try DraftVersion(campaign.draft).text, launch: launch, reading: reading, player: player,
            warnings: obstacles + warnings + others.warnings
        )
    }
}

extension PreparedPreview {
    fileprivate func rehearsed(
        _ campaign: Campaign, beside others: [BatchContext], launch: Date, now: Date, by tests: TestDelivery
    ) -> (player: RehearsalScene.Player, values: [RecipientValue], warnings: [String]) {
        let properties = DeviceProperty.allCases.map(TemplateVariable.device)
        switch self {
        case .inApp(var preview):
            preview.templates = preview.templates.reading(preview.templates.variables + properties)
            let values = preview.templates.values
            let inApp = RehearsedInApp(preview: preview, draft: campaign.draft.inApp, launch: launch, now: now)
            return (.inApp(inApp), values, [])
        case .sent(var load):
            // The values of a recipient are read once for all campaigns.
            var known = Set(load.templates.variables)
            let more = others.flatMap(\.templates.variables).filter { known.insert($0).inserted }
            let variables = load.templates.variables + more + properties
            load = load.reading(variables)
            let tagKey = tests.keys.recipientMark
            let (accounts, unreadable) = tests.accounts.rehearsed(for: load)
            let rounds = RehearsedRounds(load, accounts: accounts, tagKey: tagKey)
            let played = RehearsedOthers(
                others.map { $0.reading(variables) }, accounts: tests.accounts, tagKey: tagKey, now: now
            )
            return (
                .sent(rounds, beside: played), load.templates.values, load.warnings + unreadable.map(\.sentence)
            )
        }
    }
}

extension BatchContext {
    /// The same context, reading recipients' values in another order.
    fileprivate func reading(_ variables: [TemplateVariable]) -> BatchContext {
        var load = self
        load.templates = templates.reading(variables)
        if let messages = center?.messages { load.center?.messages = messages.reading(variables) }
        return load
    }
}

extension Campaign {
    /// Whether the campaign can be rehearsed: only before it starts.
    var isRehearsable: Bool { [.draft, .scheduled].contains(status) || isPausedBeforeLaunch }

    /// Throws if the campaign has started or ended.
    func requireRehearsable() throws(ServiceError) {
        guard !isRehearsable else { return }
        throw .conflict(
            code: "notBeforeLaunch",
            message: "Campaign \(id) is \(status.rawValue). A campaign is rehearsed before it begins."
        )
    }
}

extension CampaignDraft {
    /// The message center for the campaign's messages; nil if it keeps none.
    fileprivate var keptCenter: MessageCenterName? {
        guard kind.keepsMessage else { return nil }
        return messageCenter?.center.map(MessageCenterName.init(stored:)) ?? .primary
    }
}

extension CampaignKind {
    /// Whether its pushes count against frequency caps (CAMP-5).
    var notifies: Bool { self == .push || self == .pushAndMessageCenter }
}

/// The reasons for which a launch, or a resume before it, would fail.
private struct LaunchObstacles {
    let connection: any SQLConnection
    let now: Date

    func sentences(of campaign: Campaign, app: AppRecord) throws -> [String] {
        var sentences: [String] = []
        if let name = campaign.draft.keptCenter,
            try connection.messageCenters.find(app: app.id, name)?.isEnabled == false
        {
            sentences.append("The message center '\(name.rawValue)' is disabled: nobody sees its messages.")
        }
        guard campaign.status == .draft || campaign.isPausedBeforeLaunch else { return sentences }
        let isFetched = campaign.draft.kind == .messageCenter || campaign.draft.kind.isInApp
        if try !isFetched && connection.credentials.all(app: app.id).isEmpty {
            let step = campaign.status == .draft ? "launched" : "resumed"
            sentences.append("The app has no credentials for any push service, so the campaign cannot be \(step).")
        }
        if let late = campaign.draft.lateness(now: now) { sentences.append(late.error.message) }
        return sentences
    }
}
