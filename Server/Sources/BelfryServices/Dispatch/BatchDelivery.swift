import BelfryModel
import BelfryPush
import BelfryRules
import BelfryStore
import Foundation
import Logging

/// One round over one leased batch: decide, send, write each outcome as it comes, give the batch back.
struct BatchDelivery: Sendable {
    /// Sends of one batch in flight at once: what a pause, or wrong credentials, can still touch (REG-33).
    static let window = 256

    let batch: Batch
    let owner: String
    let database: any SQLDatabase
    let environment: ServerEnvironment
    let accounts: APNsAccounts
    let carrier: any PushCarrier
    let keys: ServerKeys
    let metrics: Metrics

    /// What a round works on, read in one view of the database.
    private struct Load: Sendable {
        let campaign: CampaignRow
        let recipients: [Recipient]
        let credentials: CredentialRecord?
    }

    /// One request of the round with what its outcome is judged by.
    private struct Sending: Sendable {
        let recipient: Recipient
        let token: PushToken
        let request: PushRequest
    }

    func run() async throws {
        let load = try await database.read { [batch] connection -> Load? in
            guard let campaign = try connection.campaigns.find(batch.campaign) else { return nil }
            return Load(
                campaign: campaign, recipients: try connection.deliveries.recipients(of: batch),
                credentials: try connection.credentials.find(app: campaign.app, provider: .apns)
            )
        }
        if let load, load.campaign.campaign.status == .sending {
            try await deliver(load)
        }
        try await giveBack()
    }

    private func deliver(_ load: Load) async throws {
        let now = environment.now()
        let launched = load.campaign.campaign.launchedAt ?? now
        guard let content = load.campaign.campaign.draft.push, let record = load.credentials else {
            return try await suppressAll(load, reason: .noCredentials)
        }
        let account = try await accounts.account(app: load.campaign.app, record: record, now: now)
        let expiresAt = DeliveryDeadline.expiry(launchedAt: launched, ttlSeconds: content.ttlSeconds)
        let template = try APNsRequestTemplate(content: content, campaign: batch.campaign, expiresAt: expiresAt)
        let common = template.commonHeaders(credentials: account.credentials, providerToken: account.providerToken)

        var verdicts: [Verdict] = []
        var sendings: [Sending] = []
        for recipient in load.recipients {
            switch RecipientDecision.decide(recipient, now: now, expiresAt: content.ttlSeconds == 0 ? nil : expiresAt) {
            case .later:
                continue
            case .suppress(let reason):
                verdicts.append(.suppressed(recipient, reason))
            case .send(let token):
                do {
                    let request = try template.request(
                        token: token.value,
                        message: MessageID.make(campaign: batch.campaign, device: recipient.client),
                        recipient: RecipientMark.make(contactID: recipient.contact ?? 0, key: keys.recipientMark),
                        common: common
                    )
                    sendings.append(Sending(recipient: recipient, token: token, request: request))
                } catch {
                    verdicts.append(verdict(on: recipient, error.outcome, load, now: now))
                }
            }
        }
        try await write(verdicts, load)
        try await send(sendings, account: account, load)
    }

    private func suppressAll(_ load: Load, reason: DeliveryReason) async throws {
        try await write(load.recipients.map { .suppressed($0, reason) }, load)
    }

    /// Writes the ledger's rows, opt-outs, and the campaign's trouble watch, together.
    ///
    /// - Parameter answers: what the push service said; the watch counts it.
    /// - Returns: whether the campaign is still sending.
    @discardableResult
    private func write(_ verdicts: [Verdict], answers: [PushOutcome] = [], _ load: Load) async throws -> Bool {
        guard !verdicts.isEmpty else { return true }
        let now = environment.now()
        let updates = verdicts.map(\.update)
        let optOuts = verdicts.compactMap(\.optOut)
        let goesOn = try await database.write { [batch] connection in
            try connection.deliveries.record(updates, campaign: batch.campaign, now: now)
            let record = try connection.credentials.find(app: load.campaign.app, provider: .apns)
            if record?.revision == load.credentials?.revision {
                try connection.devices.optOut(optOuts)
                try connection.watch(answers, of: batch.campaign)
            } else {
                // Other credentials have been put meanwhile: what these were blamed for is settled (REG-33, REG-35).
                try connection.devices.optOut(optOuts.filter { $0.optOut.reason == .tokenInvalid })
            }
            return try connection.campaigns.find(batch.campaign)?.campaign.status == .sending
        }
        metrics.countDeliveries(updates)
        return goesOn
    }

    private func send(_ sendings: [Sending], account: APNsAccount, _ load: Load) async throws {
        let inbox = OutcomeInbox()
        var handedOver = 0
        var answered = 0
        var goesOn = true
        while goesOn || answered < handedOver {
            let end = goesOn ? min(sendings.count, answered + Self.window) : handedOver
            handOver(sendings, handedOver..<end, account: account, inbox: inbox)
            handedOver = end
            guard answered < handedOver else { return }
            let answers = await inbox.take()
            answered += answers.count
            // A campaign that is paused or cancelled meanwhile leaves the rest pending.
            goesOn = try await checkpoint(answers, of: sendings, account: account, load)
        }
    }

    private func handOver(_ sendings: [Sending], _ range: Range<Int>, account: APNsAccount, inbox: OutcomeInbox) {
        let byEnvironment = Dictionary(grouping: range) { sendings[$0].token.environment }
        for (pushEnvironment, indices) in byEnvironment {
            let route = PushRoute(
                sender: "\(account.credentials.teamID)/\(account.credentials.keyID)",
                endpoint: account.credentials.endpoint(for: pushEnvironment),
                trustRoots: account.credentials.trustRoots
            )
            carrier.send(indices.map { sendings[$0].request }, by: route) { index, result in
                inbox.put(.init(index: indices[index], result: result))
            }
        }
    }

    /// Judges what has been answered and writes it; returns whether the campaign is still sending.
    private func checkpoint(
        _ answers: [OutcomeInbox.Answer], of sendings: [Sending], account: APNsAccount, _ load: Load
    ) async throws -> Bool {
        let now = environment.now()
        let outcomes = await judge(answers, account: account, load, now: now)
        let verdicts = zip(answers, outcomes).map { answer, outcome in
            verdict(on: sendings[answer.index].recipient, outcome, load, now: now)
        }
        return try await write(verdicts, answers: outcomes, load)
    }

    /// What the answers mean. A provider token that is called expired is renewed; one that was made a moment ago
    /// cannot be, and then the fault is this server's clock.
    private func judge(
        _ answers: [OutcomeInbox.Answer], account: APNsAccount, _ load: Load, now: Date
    ) async -> [PushOutcome] {
        let outcomes = answers.map { APNsAnswer.outcome(of: $0.result, now: now) }
        guard outcomes.contains(where: \.isCredentialExpired),
            await !accounts.renew(account.providerToken, app: load.campaign.app, now: now)
        else { return outcomes }
        return outcomes.map {
            $0.isCredentialExpired ? .credentialFault(reason: "ExpiredProviderToken, check the clock") : $0
        }
    }

    /// What one outcome means for the ledger and for the device.
    private struct Verdict: Sendable {
        let update: DeliveryUpdate
        var optOut: TokenOptOut?

        static func suppressed(_ recipient: Recipient, _ reason: DeliveryReason) -> Verdict {
            Verdict(
                update: DeliveryUpdate(
                    device: recipient.device, state: .suppressed, reason: reason, attempts: recipient.attempts
                )
            )
        }
    }

    private func verdict(on recipient: Recipient, _ outcome: PushOutcome, _ load: Load, now: Date) -> Verdict {
        let campaign = load.campaign.campaign
        let attempt = recipient.attempts + 1
        let launched = campaign.launchedAt ?? now
        let decision = DeliveryDecision.decide(
            outcome: outcome, attempt: attempt, now: now,
            expiresAt: DeliveryDeadline.lastRetry(
                startedAt: load.campaign.retriesFrom ?? launched,
                expiresAt: DeliveryDeadline.expiry(
                    launchedAt: launched, ttlSeconds: campaign.draft.push?.ttlSeconds
                )
            ),
            random: environment.jitter()
        )
        var update = DeliveryUpdate(
            device: recipient.device, state: .pending, attempts: attempt, note: outcome.reason
        )
        switch decision {
        case .final(let state, let reason):
            update.state = state
            update.reason = reason
            update.note = nil
        case .retry(let date), .renewCredentialAndRetry(let date):
            update.retryAt = date
        case .hold:
            break
        }
        let consequence = FeedbackConsequence.consequence(
            of: outcome, tokenRegisteredAt: recipient.tokenAt ?? .distantPast, now: now
        )
        var verdict = Verdict(update: update)
        if let optOut = consequence.optOut, let token = recipient.pushToken {
            verdict.optOut = TokenOptOut(
                device: recipient.device, token: token.value, invalidSince: outcome.invalidSince, optOut: optOut
            )
        }
        return verdict
    }

    private func giveBack() async throws {
        let now = environment.now()
        try await database.write { [batch, owner] connection in
            let nextRetry = try connection.deliveries.nextRetry(of: batch)
            try connection.batches.release(batch, owner: owner, dueAt: nextRetry.map { max($0, now) })
            try connection.completeIfDone(batch.campaign, now: now)
        }
    }
}

extension SQLConnection {
    /// Lets the campaign's trouble watch see the outcomes, and pauses the campaign when it says so (REG-33, REG-35).
    func watch(_ outcomes: [PushOutcome], of id: CampaignID) throws {
        guard var row = try campaigns.find(id), row.campaign.status == .sending else { return }
        var watch = try row.watch.map { try JSONText.decode(ProviderTroubleWatch.self, $0) } ?? ProviderTroubleWatch()
        let before = watch
        for outcome in outcomes {
            guard case .pause(let reason) = watch.observe(outcome) else { continue }
            row.campaign.status = .paused
            row.campaign.statusReason = reason
            break
        }
        guard watch != before || row.campaign.status != .sending else { return }
        row.watch = try JSONText.encode(watch)
        try campaigns.save(row)
    }
}

extension PushOutcome {
    fileprivate var isCredentialExpired: Bool {
        if case .credentialExpired = self { true } else { false }
    }

    fileprivate var invalidSince: Date? {
        if case .tokenInvalid(_, let since) = self { since } else { nil }
    }

    /// The push service's word.
    var reason: String? {
        switch self {
        case .accepted: nil
        case .tokenInvalid(let reason, _), .tokenMalformed(let reason), .topicFault(let reason),
            .credentialFault(let reason), .credentialExpired(let reason), .payloadFault(let reason),
            .throttled(let reason, _), .unavailable(let reason, _):
            reason
        }
    }
}

extension Metrics {
    func countDeliveries(_ updates: [DeliveryUpdate]) {
        let counts = Dictionary(grouping: updates, by: \.state).mapValues(\.count)
        for (state, count) in counts {
            add(count, to: "belfry_deliveries_total{state=\"\(state.rawValue)\"}")
        }
    }
}
