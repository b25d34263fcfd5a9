import BelfryModel
import BelfryPush
import BelfryRules
import BelfryStore
import Foundation
import Logging

/// A few silent pushes of one app, from when they were taken up to their ends.
struct SilentPushRound: Sendable {
    /// Pushes of one round at most: what wrong credentials can still touch, and a kill repeat.
    static let size = BatchDelivery.window
    /// Seconds before a write that failed for the moment is repeated: the first one, doubling up to the longest.
    private static let firstRest: TimeInterval = 0.05
    private static let longestRest: TimeInterval = 5

    let app: Int64
    let pushes: [TakenSilentPush]
    /// Whether its push was counted before it was begun, as one that may end the process (SEC-8).
    let isAlone: Bool
    let owner: String
    let database: any SQLDatabase
    let environment: ServerEnvironment
    let accounts: PushAccounts
    let carrier: any PushCarrier
    let keys: ServerKeys
    let watches: SilentPushWatches
    let metrics: Metrics
    let logger: Logger
    /// Is told which devices' attempts have ended.
    let onEnd: @Sendable ([Int64]) async -> Void

    func run() async throws {
        let now = environment.now()
        let (recipients, credentials) = try await database.read { [app, pushes] connection in
            (try connection.recipients.find(pushes.map(\.device)), try connection.credentials.all(app: app))
        }
        let revisions = credentials.mapValues(\.revision)
        var making = SilentPushMaking(
            standings: await standings(of: recipients, credentials, now: now), providers: Set(credentials.keys),
            marking: RecipientMarking(key: keys.recipientMark), now: now
        )
        let (sendings, ended) = making.sendings(pushes, recipients, jitter: environment.jitter)
        try await settle(ended, revisions)
        let inbox = OutcomeInbox()
        handOver(sendings, inbox)
        var left = sendings.count
        let counted = isAlone ? pushes.first.map { WorkSubject.silentPush(device: $0.device) } : nil
        while left > 0 {
            let wait = AnswerWait(subject: counted, database: database, environment: environment)
            let answers = await wait(for: inbox.take)
            left -= answers.count
            try await settle(await verdicts(on: answers, sendings), revisions)
        }
    }

    /// How the app stands at each push service that is needed.
    private func standings(
        of recipients: [Recipient], _ credentials: [PushProvider: CredentialRecord], now: Date
    ) async -> [PushProvider: SilentPushMaking.Standing] {
        var standings: [PushProvider: SilentPushMaking.Standing] = [:]
        for (provider, record) in credentials
        where provider != .webpush && recipients.contains(where: { $0.pushToken?.provider == provider }) {
            guard await watches.mayGo(app: app, provider: provider, revision: record.revision, now: now) else {
                standings[provider] = .refused
                continue
            }
            do {
                standings[provider] = .known(
                    try await accounts.standing(of: app, at: provider, record: record, now: now)
                )
            } catch {
                standings[provider] = .refused
                let fault = PushOutcome.credentialFault(reason: "they cannot be opened")
                await observe([fault], provider, revision: record.revision, now: now)
            }
        }
        return standings
    }

    private func handOver(_ sendings: [SilentSending], _ inbox: OutcomeInbox) {
        for (route, indices) in Dictionary(grouping: sendings.indices, by: { sendings[$0].routed.route }) {
            carrier.send(indices.map { sendings[$0].routed.request }, by: route) { index, result in
                inbox.put(.init(index: indices[index], result: result))
            }
        }
    }

    /// What the answers mean; as with campaigns, a sender's own token that is called expired is renewed.
    private func verdicts(
        on answers: [OutcomeInbox.Answer], _ sendings: [SilentSending]
    ) async -> [SilentPushVerdict] {
        let now = environment.now()
        var verdicts: [SilentPushVerdict] = []
        var renewals: [PushProvider: Bool] = [:]
        for answer in answers {
            let sending = sendings[answer.index]
            var outcome = sending.account.outcome(of: answer.result, now: now)
            if case .credentialExpired(let reason) = outcome {
                let provider = sending.token.provider
                var isRenewed = renewals[provider]
                if isRenewed == nil { isRenewed = await sending.account.renew(now: now) }
                renewals[provider] = isRenewed
                if isRenewed == false { outcome = .credentialFault(reason: "\(reason), check the clock") }
            }
            verdicts.append(
                .after(
                    outcome, sending.push, sending.recipient, sending.token, now: now, jitter: environment.jitter
                )
            )
        }
        return verdicts
    }

    /// What was answered would be sent again if it were not written, so a database that cannot do it now is asked again.
    private func settle(_ verdicts: [SilentPushVerdict], _ revisions: [PushProvider: Int64]) async throws {
        guard !verdicts.isEmpty else { return }
        var rest = Self.firstRest
        while true {
            let now = environment.now()
            do {
                try await database.write(turn: .patient) { [owner, app, isAlone] connection in
                    try connection.settle(
                        verdicts, isAlone: isAlone, owner: owner, app: app, revisions: revisions, now: now
                    )
                }
                break
            } catch let error where error.meansTryAgain {
                try await environment.sleepUntil(now.addingTimeInterval(rest))
                rest = min(2 * rest, Self.longestRest)
            }
        }
        await onEnd(verdicts.map(\.push.device))
        metrics.count(verdicts)
        for (provider, own) in Dictionary(grouping: verdicts, by: \.provider) {
            guard let provider, let revision = revisions[provider] else { continue }
            await observe(own.compactMap(\.outcome), provider, revision: revision, now: environment.now())
        }
    }

    /// Operators are told when silent pushes rest: no campaign pauses for them.
    private func observe(_ outcomes: [PushOutcome], _ provider: PushProvider, revision: Int64, now: Date) async {
        let reason = await watches.observe(outcomes, app: app, provider: provider, revision: revision, now: now)
        guard let reason else { return }
        logger.warning(
            "silent pushes rest for a while",
            metadata: ["app": "\(app)", "provider": "\(provider.title)", "reason": "\(reason)"]
        )
    }
}
