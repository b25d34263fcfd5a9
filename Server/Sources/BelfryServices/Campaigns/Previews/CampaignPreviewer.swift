import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Previews, dry runs and test pushes, before a campaign's launch (CAMP-4, CAMP-7).
package struct CampaignPreviewer: Sendable {
    /// How many devices a dry run reads at a time.
    static let scanSize = 1_000

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let tests: TestDelivery

    /// The campaign as real recipients would see it.
    ///
    /// - Parameters:
    ///   - devices: nil for the first devices of the audience.
    ///   - limit: how many devices of the audience.
    package func preview(
        _ id: CampaignID, devices: [String]?, limit: Int, app: AppRecord
    ) async throws -> CampaignPreviews {
        let now = environment.now()
        switch try await PreparedPreview(of: id, app: app, now: now, in: database) {
        case .inApp(var preview):
            preview.recipients = try await recipients(
                devices, of: preview.audience, preview.templates.values, limit, app, now)
            return preview.previews
        case .sent(var load):
            load.recipients = try await recipients(
                devices, of: load.campaign.draft.audience, load.templates.values, limit, app, now
            )
            return CampaignPreviews(of: load.recipients, warnings: load.warnings) { [load] in load.preview($0) }
        }
    }

    /// - Parameters:
    ///   - devices: nil for the first devices of the audience.
    ///   - values: the values that the campaign's templates use.
    private func recipients(
        _ devices: [String]?, of audience: Condition, _ values: [RecipientValue], _ limit: Int, _ app: AppRecord,
        _ now: Date
    ) async throws -> [Recipient] {
        guard let devices else {
            return try await database.asked(app) { asked in
                try AudienceRecipients(asked: asked, app: app, audience: audience, values: values)
                    .next(after: 0, limit: limit, now: now)
            }
        }
        return try await database.read { connection in
            try PreviewDevices(connection: connection, app: app).recipients(named: devices, values)
        }
    }

    /// Which devices would get the campaign if it were launched now, and which would not.
    package func dryRun(_ id: CampaignID, app: AppRecord) async throws -> DryRun {
        let now = environment.now()
        switch try await PreparedPreview(of: id, app: app, now: now, in: database) {
        case .inApp(let preview): return try await dryRun(preview, app: app, now: now)
        case .sent(let load): return try await dryRun(load, app: app, now: now)
        }
    }

    private func dryRun(_ load: BatchContext, app: AppRecord, now: Date) async throws -> DryRun {
        var (run, load) = (DryRun(), load)
        run.warnings = load.warnings
        var last: Int64 = 0
        let (id, audience, values) = (load.campaign.id, load.campaign.draft.audience, load.templates.values)
        let cap = load.style == .alert ? load.schedule?.frequencyCap : nil
        while true {
            let after = last
            let (recipients, counts) = try await database.asked(app) { asked in
                let page = try AudienceRecipients(asked: asked, app: app, audience: audience, values: values)
                    .next(after: after, limit: Self.scanSize, now: now)
                let devices = PreviewDevices(connection: asked.connection, app: app)
                return (page, try devices.recentCounts(of: page, cap: cap, now: now, except: id))
            }
            guard let newest = recipients.last else { return run }
            load.recipients = recipients
            run.take(load, recentCounts: counts, now: now)
            last = newest.device
        }
    }

    /// The devices of the audience that would download the in-app message.
    private func dryRun(_ preview: InAppPreview, app: AppRecord, now: Date) async throws -> DryRun {
        var (run, preview) = (DryRun(), preview)
        var last: Int64 = 0
        let (audience, values) = (preview.audience, preview.templates.values)
        while true {
            let after = last
            preview.recipients = try await database.asked(app) { asked in
                try AudienceRecipients(asked: asked, app: app, audience: audience, values: values)
                    .next(after: after, limit: Self.scanSize, now: now)
            }
            guard let newest = preview.recipients.last else { return run }
            run.take(preview)
            last = newest.device
        }
    }

    /// Sends the campaign's push to these devices, regardless of its audience and schedule. It stores nothing in a
    /// message center and changes no badge: a stored message belongs to the campaign, and nobody gets it twice. A
    /// device for which the message cannot be rendered gets no push, as at a launch.
    func sendTest(_ id: CampaignID, devices: [String], app: AppRecord) async throws -> [TestSendResult] {
        let now = environment.now()
        guard case .sent(var load) = try await PreparedPreview(of: id, app: app, now: now, isTest: true, in: database)
        else {
            throw ServiceError.conflict(message: "Campaign \(id) sends no notification.")
        }
        let values = load.templates.values
        load.recipients = try await database.read { connection in
            try PreviewDevices(connection: connection, app: app).recipients(named: devices, values)
        }
        let names = Dictionary(load.recipients.map { ($0.device, $0.client.rawValue) }, uniquingKeysWith: { $1 })
        var results = load.takeOutUnmakeable(at: now)
        do {
            results += try await tests.send(load.withoutPreparation, environment: environment)
        } catch let error as PushAccounts.Unreadable {
            throw ServiceError.conflict(message: error.sentence)
        }
        // A response about a token is valid for every push. A response about credentials is left to the launch.
        let optOuts = results.compactMap(\.optOut).filter { $0.optOut.reason != .providerAuthentication }
        try await database.write { connection in try connection.optOuts.record(optOuts) }
        return results.compactMap { result in
            names[result.update.device].map { TestSendResult(result, device: $0, campaign: id, at: now) }
        }
    }
}

/// The devices of an app for a preview, a dry run or a test send.
private struct PreviewDevices {
    let connection: any SQLConnection
    let app: AppRecord

    /// - Parameter values: the values that the campaign's templates use.
    func recipients(named devices: [String], _ values: [RecipientValue]) throws -> [Recipient] {
        var known: Set<Int64> = []
        return try devices.compactMap { name in
            let device = try AppLookup(connection: connection, app: app.id).livingDevice(name)
            guard known.insert(device.id).inserted else { return nil }
            return try connection.recipients.find(device.id, app: app.id, values: values)
        }
    }

    /// How many pushes each recipient got in the cap's period; empty without a cap.
    func recentCounts(
        of recipients: [Recipient], cap: FrequencyCap?, now: Date, except id: CampaignID
    ) throws -> [Int64: Int] {
        guard let cap, let first = recipients.first, let last = recipients.last else { return [:] }
        return try connection.frequencyCaps.recentCounts(
            of: first.device...last.device, app: app.id, since: cap.windowStart(now: now), except: id
        )
    }
}

extension BatchContext {
    /// Removes the recipients for whom the push or the message cannot be rendered: they get neither, as at a launch.
    ///
    /// - Returns: the results for these recipients.
    fileprivate mutating func takeOutUnmakeable(at now: Date) -> [DeliveryResult] {
        guard center != nil else { return [] }
        var building = MessageCenterMessageBuilder(self)
        let timing = MessageTiming(start: now, ttlSeconds: nil, endsAt: nil)
        let (kept, results) = building.kept(
            recipients.map { InboxWrite(recipient: $0, timing: timing, due: nil, push: nil) }
        )
        recipients = kept.map(\.placement.recipient)
        return results
    }
}

extension TestSendResult {
    /// A test is not retried: a result that a campaign would retry is final here.
    fileprivate init(_ result: DeliveryResult, device: String, campaign: CampaignID, at date: Date) {
        let update = result.update
        let isOpen = update.state == .pending
        let state = isOpen ? .rejected : update.state
        let reason = isOpen ? DeliveryReason.noAnswer : update.reason
        let row = DeliveryRow(
            campaign: campaign, state: state, reason: reason, attempts: update.attempts, note: update.note,
            updatedAt: date
        )
        self.init(device: device, state: state, reason: reason, sentence: Explanation.testSentence(row))
    }
}
