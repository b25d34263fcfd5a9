import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Sends campaigns to some devices before their launch (CAMP-7).
///
/// A message center message or an in-app message, which no push carries, is tested by a copy of the campaign for these
/// devices alone. The copy is launched now and is in no list. So the devices get it by the same code as at a launch,
/// and the campaign itself, its figures, and what its launch places later do not change.
package struct CampaignTester: Sendable {
    let previews: CampaignPreviewer
    let life: CampaignLife

    private var database: any SQLDatabase { previews.database }
    private var environment: ServerEnvironment { previews.environment }
    private var writer: CampaignWriter { CampaignWriter(database: database, environment: environment) }

    /// Seconds for which the message of a test can be seen.
    package static let testLifetime: TimeInterval = 24 * 3_600

    /// Sends a campaign to some devices before its launch, regardless of its audience and schedule.
    ///
    /// - Parameter text: how sentences write times; the default is UTC.
    package func test(
        _ id: CampaignID, devices: [String], app: AppRecord,
        telling text: @Sendable (Date) -> String = { Timestamp.text($0) }
    ) async throws -> [TestSendResult] {
        let campaign = try await database.read {
            try AppLookup(connection: $0, app: app.id).campaign(id).campaign
        }
        guard ![.completed, .cancelled].contains(campaign.status) else {
            throw ServiceError.conflict(
                message: "Campaign \(id) is \(campaign.status.rawValue) and can no longer be tested."
            )
        }
        let kind = campaign.draft.kind
        guard kind.keepsMessage || kind.isInApp else {
            return try await previews.sendTest(id, devices: devices, app: app)
        }
        let placed = try await placeTest(of: campaign, devices: devices, app: app, telling: text)
        guard kind == .pushAndMessageCenter else { return placed }
        let pushed = try await previews.sendTest(id, devices: devices, app: app)
        let messages = Dictionary(placed.map { ($0.device, $0.sentence) }) { first, _ in first }
        return pushed.map { result in
            // Neither the push nor the message could be rendered, and the push's result says why.
            guard result.reason != .renderError else { return result }
            let sentence = [result.sentence, messages[result.device]].compactMap(\.self).joined(separator: " ")
            return TestSendResult(
                device: result.device, state: result.state, reason: result.reason, sentence: sentence
            )
        }
    }

    private func placeTest(
        of campaign: Campaign, devices: [String], app: AppRecord, telling text: @Sendable (Date) -> String
    ) async throws -> [TestSendResult] {
        let end = environment.now().addingTimeInterval(Self.testLifetime)
        let found = try await database.read { connection -> [DeviceRow] in
            var known: Set<Int64> = []
            return try devices.map { try AppLookup(connection: connection, app: app.id).livingDevice($0) }
                .filter { known.insert($0.id).inserted }
        }
        var problems: [String: String] = [:]
        let rendered = try await previews.preview(campaign.id, devices: devices, limit: devices.count, app: app)
        for preview in rendered { problems[preview.device] = preview.problem }
        let suited = found.filter { $0.contact != nil && problems[$0.client.rawValue] == nil }
        let draft = campaign.draft.testCopy(for: suited, at: environment.now(), until: end)
        let copy = suited.isEmpty ? nil : try await launchCopy(draft, app: app)
        return found.map { device in
            TestSendResult(
                device, problem: problems[device.client.rawValue], copy: copy, draft: draft, of: campaign.id,
                at: environment.now(), telling: text
            )
        }
    }

    /// Creates and launches the copy, or throws and creates nothing. It needs no approval: an approver uses it to see
    /// the message (CON-5).
    private func launchCopy(_ draft: CampaignDraft, app: AppRecord) async throws -> CampaignID {
        let now = environment.now()
        defer { life.signal() }
        return try await writer.checking(app: app) { _ in
            draft
        } write: { result in
            // Reports errors without waiting for the writer.
            _ = try result?.checked
            return try await database.write { connection in
                let draft = try CampaignCheckResult.checked(draft, by: result, app: app.id, in: connection)
                if draft.kind.isInApp {
                    try InAppPublication(connection: connection, now: now).checkTest(draft, app: app.id)
                }
                let id = try connection.campaigns.insert(draft, app: app.id, now: now)
                try CampaignHistory(connection: connection, now: now).begin(id, saying: draft, app: app.id, by: nil)
                var row = try AppLookup(connection: connection, app: app.id).campaign(id)
                // Marked as deleted, so that no list contains it.
                row.campaign.deletedAt = now
                try CampaignStart(connection: connection, now: now).begin(&row)
                try connection.campaigns.save(row)
                if row.isOfInApp { try connection.inAppRevisions.advance(app: row.app, now: now) }
                return id
            }
        }
    }
}

extension CampaignDraft {
    /// A copy of the draft for some devices alone, without a push, from now until `end`. Other installations with the
    /// devices' ids are not included (WIRE-20).
    fileprivate func testCopy(for devices: [DeviceRow], at now: Date, until end: Date) -> CampaignDraft {
        func ending(_ own: Date?) -> Date { own.map { $0 > now ? min($0, end) : end } ?? end }
        var copy = self
        copy.name = String("Test: \(name)".prefix(CampaignCheck.maximumNameLength))
        copy.audience = .deviceIDs(devices.map(\.client.rawValue))
        copy.installations = devices.map(\.id)
        copy.schedule = nil
        copy.push = nil
        if kind.isInApp {
            copy.inApp?.startsAt = nil
            copy.inApp?.endsAt = ending(inApp?.endsAt)
        } else {
            copy.kind = .messageCenter
            copy.messageCenter = wholeMessage
            copy.messageCenter?.badge = nil
            copy.messageCenter?.expiresAt = ending(messageCenter?.expiresAt)
        }
        return copy
    }

    /// The message center message, complete without the push beside it.
    private var wholeMessage: MessageCenterContent {
        let kept = KeptMessages(self)
        var message = kept.message(nil)
        message.variants = kept.locales.isEmpty ? nil : [:]
        for locale in kept.locales {
            let own = kept.message(locale)
            message.variants?[locale] = MessageCenterVariant(
                subject: own.subject, message: own.message, iconUrl: own.iconUrl, deeplinkUrl: own.deeplinkUrl,
                richUrl: own.richUrl, richHtml: own.richHtml
            )
        }
        return message
    }
}

extension TestSendResult {
    /// - Parameters:
    ///   - problem: why the message cannot be rendered for the device's contact.
    ///   - copy: the campaign that delivers the message to the device; nil if no device can have it.
    fileprivate init(
        _ device: DeviceRow, problem: String?, copy: CampaignID?, draft: CampaignDraft, of campaign: CampaignID,
        at now: Date, telling text: (Date) -> String
    ) {
        let name = device.client.rawValue
        guard device.contact != nil else {
            let row = DeliveryRow(
                campaign: campaign, state: .suppressed, reason: .noContact, attempts: 0, note: nil, updatedAt: now
            )
            self.init(
                device: name, state: .suppressed, reason: .noContact, sentence: Explanation.testSentence(row)
            )
            return
        }
        guard let copy, problem == nil else {
            self.init(
                device: name, state: .suppressed, reason: .renderError,
                sentence: problem ?? "The message cannot be made for this device."
            )
            return
        }
        let center = draft.messageCenter?.center ?? MessageCenterName.primary.rawValue
        let end = text(draft.inApp?.endsAt ?? draft.messageCenter?.expiresAt ?? now)
        let what =
            draft.kind.isInApp
            ? "The device downloads the in-app message with its next sync, and shows it when its trigger matches"
            : "The message is being placed in the message center '\(center)'"
        self.init(
            device: name, state: .pending,
            sentence: "\(what), until \(end). It is campaign \(copy), which no list shows."
        )
    }
}
