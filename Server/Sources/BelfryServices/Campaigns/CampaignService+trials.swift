import BelfryModel
import BelfryPush
import BelfryRules
import BelfryStore
import Foundation

/// What a marketer tries before a launch: how it looks, who would get it, and what it is like on one's own devices
/// (CAMP-4, CAMP-7).
extension CampaignService {
    /// Devices that a dry run reads at once, and that it shows.
    static let scanSize = 1_000
    static let sampleSize = 50
    /// Of one outcome for one reason.
    static let alikeSamples = 10

    /// The campaign as real recipients would see it.
    ///
    /// - Parameters:
    ///   - devices: nil for the first of the audience.
    ///   - limit: how many of those.
    package func preview(
        _ id: CampaignID, devices: [String]?, limit: Int, app: AppRecord
    ) async throws -> [CampaignPreview] {
        let now = environment.now()
        let inApp = try await database.read { connection in
            try connection.inAppTrial(of: id, app: app) { audience, values in
                guard let devices else {
                    return try connection.recipients.next(
                        after: 0, app: app.id, audience: connection.audience(audience, app: app.id, now: now),
                        values: values, limit: limit
                    )
                }
                return try connection.recipients(named: devices, app: app, values)
            }
        }
        if let inApp { return inApp.previews }
        let load = try await database.read { connection in
            try connection.trialLoad(of: id, app: app, now: now) { row, templates in
                guard let devices else {
                    return try connection.recipients.next(
                        after: 0, app: app.id,
                        audience: connection.audience(row.campaign.draft.audience, app: app.id, now: now),
                        values: templates.values, limit: limit
                    )
                }
                return try connection.recipients(named: devices, app: app, templates.values)
            }
        }
        return load.recipients.map { load.preview($0) }
    }

    /// Who would get the campaign if it were launched now, and who not.
    package func dryRun(_ id: CampaignID, app: AppRecord) async throws -> DryRun {
        let now = environment.now()
        if let run = try await dryRunInApp(id, app: app, now: now) { return run }
        var run = DryRun()
        var last: Int64 = 0
        while true {
            let after = last
            let (load, counts) = try await database.read { connection in
                try connection.dryRunPage(of: id, app: app, after: after, now: now)
            }
            guard let newest = load.recipients.last else { return run }
            run.take(load, recentCounts: counts, now: now)
            last = newest.device
        }
    }

    /// Sends it to these devices, whatever its audience and its schedule. A test keeps nothing in a centre and changes no
    /// badge: a message that is kept is the campaign's own, and nobody gets it twice.
    package func test(_ id: CampaignID, devices: [String], app: AppRecord) async throws -> [TestSendResult] {
        let now = environment.now()
        let load = try await database.read { connection in
            try connection.trialLoad(of: id, app: app, now: now, scheduled: false) { row, templates in
                guard ![.completed, .cancelled].contains(row.campaign.status) else {
                    throw ServiceError.conflict(
                        message: "Campaign \(id) is \(row.campaign.status.rawValue): there is nothing to try any more."
                    )
                }
                guard row.campaign.draft.kind != .messageCenter else {
                    throw ServiceError.conflict(
                        message: "Campaign \(id) sends no notification that could be tried: look at its preview."
                    )
                }
                return try connection.recipients(named: devices, app: app, templates.values)
            }.withoutPreparation
        }
        let verdicts: [Verdict]
        do {
            verdicts = try await tests.send(load, environment: environment)
        } catch let fault as PushAccounts.Unreadable {
            throw ServiceError.conflict(message: fault.sentence)
        }
        try await database.write { connection in
            // What a push service says of a token holds, whatever made it say so; of credentials, a launch will tell.
            try connection.devices.optOut(
                verdicts.compactMap(\.optOut).filter { $0.optOut.reason != .providerAuthentication }
            )
        }
        let names = Dictionary(load.recipients.map { ($0.device, $0.client.rawValue) }, uniquingKeysWith: { $1 })
        return verdicts.compactMap { verdict in
            names[verdict.update.device].map { TestSendResult(verdict, device: $0, campaign: id, at: now) }
        }
    }
}

extension SQLConnection {
    /// A campaign as if it were launched now.
    ///
    /// - Parameter scheduled: whether its schedule counts.
    fileprivate func trialLoad(
        of id: CampaignID, app: AppRecord, now: Date, scheduled: Bool = true,
        recipients: (CampaignRow, CampaignTemplates) throws -> [Recipient]
    ) throws -> RoundLoad {
        var row = try campaign(id, app: app.id)
        guard !row.campaign.draft.kind.isInApp else {
            throw ServiceError.conflict(
                message: "Campaign \(id) sends no notification that could be tried: look at its preview."
            )
        }
        row.campaign.launchedAt = now
        row.retriesFrom = now
        if !scheduled { row.campaign.draft.schedule = nil }
        // What the draft refers to may have changed since it was saved.
        _ = try checked(row.campaign.draft, app: app.id)
        do {
            return try roundLoad(of: row) { try recipients(row, $0) }
        } catch is RoundFault {
            throw ServiceError.conflict(message: "Campaign \(id) has no push content that can be made into messages.")
        }
    }

    /// - Parameter values: what the campaign's templates show.
    func recipients(
        named devices: [String], app: AppRecord, _ values: [RecipientValue]
    ) throws -> [Recipient] {
        var known: Set<Int64> = []
        return try devices.compactMap { name in
            let device = try device(name, app: app)
            guard known.insert(device.id).inserted else { return nil }
            return try recipients.find(device.id, app: app.id, values: values)
        }
    }

    /// The next devices of the audience, and how many pushes each has got lately if the campaign has a cap.
    fileprivate func dryRunPage(
        of id: CampaignID, app: AppRecord, after device: Int64, now: Date
    ) throws -> (load: RoundLoad, recentCounts: [Int64: Int]) {
        let load = try trialLoad(of: id, app: app, now: now) { row, templates in
            try recipients.next(
                after: device, app: app.id,
                audience: audience(row.campaign.draft.audience, app: app.id, now: now),
                values: templates.values, limit: CampaignService.scanSize
            )
        }
        guard let cap = load.schedule?.frequencyCap, load.style == .alert, let first = load.recipients.first,
            let last = load.recipients.last
        else { return (load, [:]) }
        let counts = try deliveries.recentCounts(
            of: first.device...last.device, app: app.id, since: cap.windowStart(now: now), except: id
        )
        return (load, counts)
    }
}

extension DryRun {
    /// Adds a device and what would become of it.
    mutating func add(_ outcome: Outcome, _ recipient: Recipient, _ reason: DeliveryReason? = nil) {
        audience += 1
        switch (outcome, reason) {
        case (.wouldSend, _): wouldSend += 1
        case (.later, _): later += 1
        case (.suppressed, let reason): suppressed[reason ?? .renderError, default: 0] += 1
        }
        note(Sample(device: recipient.client.rawValue, outcome: outcome, reason: reason?.rawValue))
    }

    /// Decides about the recipients as a round would, and adds them up.
    fileprivate mutating func take(_ load: RoundLoad, recentCounts: [Int64: Int], now: Date) {
        var selection = CandidateSelection(load, now: now)
        let (recipients, verdicts) = selection.recipients()
        let names = Dictionary(load.recipients.map { ($0.device, $0.client.rawValue) }, uniquingKeysWith: { $1 })
        for verdict in verdicts {
            take(verdict.update, device: names[verdict.update.device] ?? "")
        }
        for recipient in recipients {
            let isAdmitted = load.schedule?.frequencyCap?.admits(count: recentCounts[recipient.device] ?? 0) ?? true
            if !isAdmitted, load.style == .alert {
                take(Verdict.suppressed(recipient, .frequencyCap).update, device: recipient.client.rawValue)
            } else if !load.canRender(recipient) {
                take(Verdict.suppressed(recipient, .renderError).update, device: recipient.client.rawValue)
            } else {
                audience += 1
                wouldSend += 1
                note(Sample(device: recipient.client.rawValue, outcome: .wouldSend))
            }
        }
    }

    private mutating func take(_ update: DeliveryUpdate, device: String) {
        audience += 1
        if let due = update.due {
            later += 1
            note(Sample(device: device, outcome: .later, reason: due.note, at: due.at))
        } else if let reason = update.reason {
            suppressed[reason, default: 0] += 1
            note(Sample(device: device, outcome: .suppressed, reason: reason.rawValue))
        }
    }

    /// Some of each outcome and reason: the first ones alone would often be all alike.
    private mutating func note(_ sample: Sample) {
        let alike = samples.count { $0.outcome == sample.outcome && ($0.reason == sample.reason || $0.at != nil) }
        guard samples.count < CampaignService.sampleSize, alike < CampaignService.alikeSamples else { return }
        samples.append(sample)
    }
}

extension TestSendResult {
    /// A test is not tried again: what a campaign would do later ends here.
    fileprivate init(_ verdict: Verdict, device: String, campaign: CampaignID, at date: Date) {
        let update = verdict.update
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
