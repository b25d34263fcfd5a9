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

    /// Sends what is due; ``giveBack()`` comes after it.
    func run() async throws {
        do {
            guard let load = try await load(), load.campaign.campaign.status == .sending else { return }
            try await deliver(load)
        } catch let error where error.meansUnreadable {
            // It would fail again each time.
            let now = environment.now()
            try await database.write { [batch] connection in
                try connection.campaigns.setAside(batch.campaign.number, because: CampaignRow.unreadable, now: now)
            }
        }
    }

    private func load() async throws -> Load? {
        try await database.read { [batch] connection -> Load? in
            guard let campaign = try connection.campaigns.find(batch.campaign) else { return nil }
            return Load(
                campaign: campaign, recipients: try connection.deliveries.recipients(of: batch),
                credentials: try connection.credentials.find(app: campaign.app, provider: .apns)
            )
        }
    }

    private func deliver(_ load: Load) async throws {
        let now = environment.now()
        let launched = load.campaign.campaign.launchedAt ?? now
        guard let content = load.campaign.campaign.draft.push, let record = load.credentials else {
            return try await suppressAll(load, reason: .noCredentials)
        }
        let expiresAt = DeliveryDeadline.expiry(launchedAt: launched, ttlSeconds: content.ttlSeconds)
        let account: APNsAccount
        let template: APNsRequestTemplate
        do {
            account = try await accounts.account(app: load.campaign.app, record: record, now: now)
        } catch {
            return try await pause(Self.unreadableCredentials, load)
        }
        do {
            template = try APNsRequestTemplate(content: content, campaign: batch.campaign, expiresAt: expiresAt)
        } catch {
            return try await pause(Self.unusableContent, load)
        }
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
        guard try await write(verdicts, load) else { return }
        try await send(sendings, account: account, load)
    }

    private static let unreadableCredentials =
        "The stored APNs credentials cannot be opened: the server's secret key is another one than when they were put. "
        + "Put the credentials again, or start the server with the former key, then resume: no send is lost."
    private static let unusableContent =
        "No APNs message can be made of its content. Cancel it, and make the campaign anew with other content."

    /// What fails for every recipient, and would each time, is the operator's to mend.
    private func pause(_ reason: String, _ load: Load) async throws {
        try await database.write { [batch] connection in
            let record = try connection.credentials.find(app: load.campaign.app, provider: .apns)
            // Other credentials have been put meanwhile: they are tried.
            guard record?.revision == load.credentials?.revision else { return }
            try connection.pause(batch.campaign, because: reason)
        }
    }

    private func suppressAll(_ load: Load, reason: DeliveryReason) async throws {
        try await write(load.recipients.map { .suppressed($0, reason) }, load)
    }

    /// Writes the ledger's rows, opt-outs, and the campaign's trouble watch, together.
    ///
    /// - Parameter answers: what the push service said; the watch counts it.
    /// - Returns: whether more may be sent: the campaign is still sending, and the batch still lent to this worker.
    @discardableResult
    private func write(_ verdicts: [Verdict], answers: [PushOutcome] = [], _ load: Load) async throws -> Bool {
        guard !verdicts.isEmpty else { return true }
        let now = environment.now()
        let updates = verdicts.map(\.update)
        let optOuts = verdicts.compactMap(\.optOut)
        let goesOn = try await database.write { [batch, owner] connection in
            try connection.deliveries.record(updates, campaign: batch.campaign, now: now)
            let record = try connection.credentials.find(app: load.campaign.app, provider: .apns)
            if record?.revision == load.credentials?.revision {
                try connection.devices.optOut(optOuts)
                try connection.watch(answers, of: batch.campaign)
            } else {
                // Other credentials have been put meanwhile: what these were blamed for is settled (REG-33, REG-35).
                try connection.devices.optOut(optOuts.filter { $0.optOut.reason == .tokenInvalid })
            }
            guard try connection.batches.isHeld(batch, by: owner) else { return false }
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
        let outcomes = await judge(answers, account: account, now: now)
        let verdicts = zip(answers, outcomes).map { answer, outcome in
            verdict(on: sendings[answer.index].recipient, outcome, load, now: now)
        }
        return try await write(verdicts, answers: outcomes, load)
    }

    /// What the answers mean. A provider token that is called expired is renewed; one that was made a moment ago
    /// cannot be, and then the fault is this server's clock.
    private func judge(
        _ answers: [OutcomeInbox.Answer], account: APNsAccount, now: Date
    ) async -> [PushOutcome] {
        let outcomes = answers.map { APNsAnswer.outcome(of: $0.result, now: now) }
        guard outcomes.contains(where: \.isCredentialExpired),
            await !accounts.renew(account, now: now)
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
        let attempts = recipient.attempts + (outcome.isAttempt ? 1 : 0)
        let launched = campaign.launchedAt ?? now
        let started = load.campaign.retriesFrom ?? launched
        let ttlSeconds = campaign.draft.push?.ttlSeconds
        let decision = DeliveryDecision.decide(
            outcome: outcome, attempt: attempts, now: now,
            expiresAt: DeliveryDeadline.lastRetry(
                startedAt: started,
                expiresAt: DeliveryDeadline.expiry(launchedAt: launched, ttlSeconds: ttlSeconds)
            ),
            resendUntil: DeliveryDeadline.lastResend(
                startedAt: started, launchedAt: launched, ttlSeconds: ttlSeconds
            ),
            random: environment.jitter()
        )
        var update = DeliveryUpdate(
            device: recipient.device, state: .pending, attempts: attempts, note: outcome.note?.text
        )
        switch decision {
        case .final(let state, let reason):
            update.state = state
            update.reason = reason
            // Of a send that nobody answered for good, the last word says more.
            if reason != .noAnswer { update.note = nil }
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

    func giveBack() async throws {
        let now = environment.now()
        try await database.write { [batch, owner] connection in
            let nextRetry = try connection.deliveries.nextRetry(of: batch)
            try connection.batches.release(batch, owner: owner, dueAt: nextRetry.map { max($0, now) })
            try connection.completeIfDone(batch.campaign, now: now)
        }
    }
}
