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
    /// Seconds before a write that failed for the moment is repeated: the first one, doubling up to the longest.
    private static let firstRest: TimeInterval = 0.05
    private static let longestRest: TimeInterval = 5

    let batch: Batch
    /// Whether it was counted before it was begun, as one that may end the process (SEC-8).
    let isAlone: Bool
    let owner: String
    let database: any SQLDatabase
    let environment: ServerEnvironment
    let accounts: PushAccounts
    let carrier: any PushCarrier
    let keys: ServerKeys
    let metrics: Metrics
    /// Is told when outcomes of a batch that was begun alone are written.
    let onProgress: @Sendable () async -> Void

    /// Sends what is due; ``giveBack()`` comes after it.
    ///
    /// - Returns: the campaign when it cannot go on.
    func run() async throws -> GivenUpCampaign? {
        do {
            let now = environment.now()
            guard let load = try await database.read({ [batch] in try $0.roundLoad(of: batch, now: now) }) else {
                return nil
            }
            try await deliver(load, now: now)
            return nil
        } catch RoundFault.unusableContent(let fault) {
            try await pause(Self.unusableContent(fault), credentials: nil)
            return nil
        } catch let error where error.meansUnreadable {
            // It would fail again each time.
            let now = environment.now()
            return try await database.write { [batch] connection in
                try connection.giveUpUnreadable(batch.campaign.number, now: now)
            }
        }
    }

    private func deliver(_ load: RoundLoad, now: Date) async throws {
        guard let standings = try await standings(load, now: now) else { return }
        guard !load.isPrepared else { return try await deliverPrepared(load, standings: standings, now: now) }
        var selection = CandidateSelection(load, now: now)
        var (candidates, verdicts) = selection.candidates()
        candidates = try await withinRate(candidates, load)
        candidates = try await withinCap(candidates, load, &verdicts)
        var making = RequestMaking(load, standings: standings, markKey: keys.recipientMark, now: now)
        if try await write(verdicts, load) { try await send(candidates, &making, load) }
    }

    /// How the app stands at each push service; nil when the campaign had to be paused.
    private func standings(
        _ load: RoundLoad, now: Date
    ) async throws -> [PushProvider: PushAccounts.Standing]? {
        do {
            return try await accounts.standings(for: load, now: now)
        } catch let fault as PushAccounts.Unreadable {
            try await pause(fault.sentence, credentials: (load.row.app, fault.provider, fault.record))
            return nil
        }
    }

    private static func unusableContent(_ fault: String?) -> String {
        "No message can be made of its content any more. \(fault.map { "\($0) " } ?? "")"
            + "Cancel it, and make the campaign anew with other content."
    }

    /// What fails for every recipient, and would each time, is the operator's to mend.
    ///
    /// - Parameter credentials: those that are at fault. Have others been put meanwhile, they are tried.
    private func pause(
        _ reason: String, credentials: (app: Int64, provider: PushProvider, record: CredentialRecord)?
    ) async throws {
        try await database.write { [batch] connection in
            if let credentials {
                let record = try connection.credentials.find(app: credentials.app, provider: credentials.provider)
                guard record?.revision == credentials.record.revision else { return }
            }
            try connection.pause(batch.campaign, because: reason)
        }
    }

    /// Writes the ledger's rows, opt-outs, and the campaign's trouble watch, together.
    ///
    /// What was answered would be sent again if it were not written, so a database that cannot do it now is asked again.
    ///
    /// - Returns: whether more may be sent: the campaign is still sending, and the batch still lent to this worker.
    func write(_ verdicts: [Verdict], _ load: RoundLoad) async throws -> Bool {
        guard !verdicts.isEmpty else { return true }
        let verdicts = load.isPlacing ? verdicts.map { $0.inLedger(of: load) } : verdicts
        var rest = Self.firstRest
        while true {
            let now = environment.now()
            do {
                // What a power cut undoes is sent again, under the same id; the batch's end is synced.
                let goesOn = try await database.write(turn: load.isPlacing ? .next : .unsynced) {
                    [batch, owner, isAlone] connection in
                    try connection.record(verdicts, of: batch, load, now: now)
                    // It gets on: should it end the process now, its count begins anew.
                    if isAlone { try connection.workAttempts.end(.batch(batch)) }
                    return try connection.batches.goesOn(batch, owner: owner)
                }
                metrics.countDeliveries(verdicts)
                if isAlone { await onProgress() }
                return goesOn
            } catch let error where error.meansTryAgain {
                try await environment.sleepUntil(now.addingTimeInterval(rest))
                rest = min(2 * rest, Self.longestRest)
            }
        }
    }

    /// Requests are made as the window has room for them: the first leave at once, and few lie in memory.
    ///
    /// - Returns: whether more may be sent.
    @discardableResult
    func send(_ candidates: [Candidate], _ making: inout RequestMaking, _ load: RoundLoad) async throws -> Bool {
        let inbox = OutcomeInbox()
        var rest = candidates[...]
        var underWay = SendsUnderWay()
        var goesOn = true
        // Until the first outcome is written; then the batch got on, and is not counted any more.
        var counted = isAlone ? WorkSubject.batch(batch) : nil
        while goesOn && !rest.isEmpty || underWay.count > 0 {
            if goesOn {
                let chosen = rest.prefix(Self.window - underWay.count)
                rest = rest.dropFirst(chosen.count)
                let (sendings, unsendable) = making.sendings(chosen, jitter: environment.jitter)
                handOver(sendings, from: underWay.add(sendings), inbox: inbox)
                goesOn = try await write(unsendable, load)
            }
            guard underWay.count > 0 else { continue }
            let wait = AnswerWait(subject: counted, database: database, environment: environment)
            let answers = await wait(for: inbox.take)
            counted = nil
            let ended = answers.map { EndedSending(sending: underWay.end($0.index), result: $0.result) }
            // A campaign that is paused or cancelled meanwhile leaves the rest pending.
            goesOn = try await write(verdicts(on: ended, by: making.standings, load), load) && goesOn
        }
        return goesOn
    }

    private func handOver(_ sendings: [Sending], from number: Int, inbox: OutcomeInbox) {
        var rest = sendings.indices
        while let first = rest.first {
            // Routes are few and lie together; comparing neighbours is cheaper than a table.
            let route = sendings[first].routed.route
            let end = rest.first { sendings[$0].routed.route != route } ?? rest.upperBound
            carrier.send(sendings[first..<end].map(\.routed.request), by: route) { index, result in
                inbox.put(.init(index: number + first + index, result: result))
            }
            rest = end..<rest.upperBound
        }
    }

    /// What the answers mean. A sender's own token that is called expired is renewed; where another would be no better,
    /// the credentials or this server's clock are at fault.
    private func verdicts(
        on ended: [EndedSending], by standings: [PushProvider: PushAccounts.Standing], _ load: RoundLoad
    ) async -> [Verdict] {
        let now = environment.now()
        var verdicts: [Verdict] = []
        verdicts.reserveCapacity(ended.count)
        var renewals: [PushProvider: Bool] = [:]
        for send in ended {
            let candidate = send.sending.candidate
            let provider = candidate.token.provider
            let account = standings.account(of: candidate)
            var outcome = account.outcome(of: send.result, now: now)
            if case .credentialExpired(let reason) = outcome {
                let isRenewed: Bool
                if let known = renewals[provider] {
                    isRenewed = known
                } else {
                    isRenewed = await account.renew(now: now)
                    renewals[provider] = isRenewed
                }
                if !isRenewed { outcome = .credentialFault(reason: "\(reason), check the clock") }
            }
            verdicts.append(.after(outcome, candidate, load, now: now, jitter: environment.jitter))
        }
        return verdicts
    }

    func giveBack() async throws {
        let now = environment.now()
        try await database.write { [batch, owner, isAlone] connection in
            if isAlone { try connection.workAttempts.end(.batch(batch)) }
            let nextRetry = try connection.deliveries.nextRetry(of: batch)
            try connection.batches.release(batch, owner: owner, dueAt: nextRetry.map { max($0, now) })
            try connection.completeIfDone(batch.campaign, now: now)
        }
    }
}
