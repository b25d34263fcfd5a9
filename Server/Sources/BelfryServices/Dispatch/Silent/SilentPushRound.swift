import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Logging

/// One round over a few claimed silent pushes of one app: it decides, sends, and writes each outcome as it arrives.
struct SilentPushRound: Sendable {
    /// The most pushes of one round. That many may still be sent with wrong credentials, or be repeated after a kill.
    static let size = SendsUnderWay.window

    let app: Int64
    let pushes: [ClaimedSilentPush]
    /// Whether this is a counted attempt, because its single push may crash the process (SEC-8).
    let isAlone: Bool
    let owner: String
    let pipeline: PushPipeline
    let breaker: SilentPushCircuitBreaker
    /// Called with devices whose results are written.
    let onEnd: @Sendable ([Int64]) async -> Void

    func run() async throws {
        let now = pipeline.environment.now()
        let questions = SilentPushQuestions(app: app, owner: owner, isAlone: isAlone, pipeline: pipeline)
        let (pushes, quiet) = try await questions.answered(pushes, now: now)
        if !quiet.isEmpty { await onEnd(quiet) }
        guard !pushes.isEmpty else { return }
        let (recipients, credentials, offers) = try await pipeline.database.read { [app, pushes] connection in
            (
                try connection.recipients.find(pushes.map(\.device)), try connection.credentials.all(app: app),
                try connection.takeoverOffers.find(
                    pushes.filter { $0.state.carried.contains(.takeover) }.map(\.device)
                )
            )
        }
        let revisions = credentials.mapValues(\.revision)
        let (accountStates, rejecting) = await accountStates(of: credentials.needed(by: recipients), now: now)
        let selection = SilentPushSelection(providers: Set(credentials.keys), rejecting: rejecting, now: now)
        let (candidates, dropped) = selection.candidates(of: pushes, recipients)
        try await settle(dropped, revisions)
        let nonces = offers.map { ($0.device, $0.nonce(with: pipeline.keys)) }
        let messages = SilentPushMessages(
            pushes, tagKey: pipeline.keys.recipientMark, nonces: Dictionary(nonces) { first, _ in first }
        )
        let wait = pushes.first.map { push in
            ResponseWait(
                subject: .silentPush(device: push.device), database: pipeline.database,
                environment: pipeline.environment
            )
        }
        var exchange = pipeline.exchange(messages, accountStates: accountStates, now: now)
        try await exchange.send(candidates, uncounted: isAlone ? wait : nil) { attempts in
            let results = attempts.map {
                SilentPushResult.after($0, messages.push(to: $0.candidate), jitter: pipeline.environment.jitter)
            }
            try await settle(results, revisions)
            pipeline.traces?.add(TraceSpan.spans(of: results, after: attempts))
            return true
        }
    }

    /// The state of the app's account at each push service, and the services that are not used because they reject the
    /// credentials, or because the credentials cannot be decrypted.
    private func accountStates(
        of credentials: [PushProvider: CredentialRecord], now: Date
    ) async -> (accountStates: [PushProvider: PushAccounts.AccountState], rejecting: Set<PushProvider>) {
        var accountStates: [PushProvider: PushAccounts.AccountState] = [:]
        var rejecting: Set<PushProvider> = []
        for (provider, record) in credentials where provider != .webpush {
            guard await breaker.mayGo(app: app, provider: provider, revision: record.revision, now: now) else {
                rejecting.insert(provider)
                continue
            }
            do {
                accountStates[provider] = try await pipeline.accounts.accountState(
                    of: app, at: provider, record: record, now: now
                )
            } catch {
                rejecting.insert(provider)
                let outcome = PushOutcome.credentialError(reason: "they cannot be decrypted")
                await observe([outcome], provider, revision: record.revision, now: now)
            }
        }
        return (accountStates, rejecting)
    }

    private func settle(_ results: [SilentPushResult], _ revisions: [PushProvider: Int64]) async throws {
        guard !results.isEmpty else { return }
        try await pipeline.write(turn: .patient) { [owner, app, isAlone] connection, now in
            let settlement = SilentPushSettlement(
                connection: connection, owner: owner, app: app, isAlone: isAlone, revisions: revisions, now: now
            )
            try settlement.settle(results)
        }
        await onEnd(results.map(\.push.device))
        pipeline.metrics.count(results)
        for (provider, own) in Dictionary(grouping: results, by: \.provider) {
            guard let provider, let revision = revisions[provider] else { continue }
            await observe(
                own.compactMap(\.outcome), provider, revision: revision, now: pipeline.environment.now()
            )
        }
    }

    /// Logs a warning for operators when silent pushes are suspended, because no paused campaign shows it.
    private func observe(_ outcomes: [PushOutcome], _ provider: PushProvider, revision: Int64, now: Date) async {
        let reason = await breaker.observe(outcomes, app: app, provider: provider, revision: revision, now: now)
        guard let reason else { return }
        pipeline.logger.warning(
            "silent pushes are paused for a while: the push service rejects them",
            metadata: ["app": "\(app)", "provider": "\(provider.title)", "reason": "\(reason)"]
        )
    }
}
