import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// Sends the pushes of one round and says how each attempt ended.
struct PushExchange<Messages: PushMessages> {
    var builder: PushRequestBuilder<Messages>
    let transport: any PushTransport
    let environment: ServerEnvironment
    /// Records the durations; nil if they are not measured.
    var durations: PushDurations?

    /// Builds requests only as the window has room, so that the first are sent early and few are in memory.
    ///
    /// - Parameters:
    ///   - wait: for a round that may crash the process, until one of its results is recorded; nil for other rounds.
    ///   - record: stores how some attempts ended. It returns whether more may be sent.
    /// - Returns: whether more may be sent in this round.
    @discardableResult
    mutating func send(
        _ candidates: [Candidate], uncounted wait: ResponseWait? = nil,
        record: ([CompletedAttempt]) async throws -> Bool
    ) async throws -> Bool {
        let queue = ResultQueue()
        var rest = candidates[...]
        var underWay = SendsUnderWay()
        var wait = wait
        var mayContinue = true
        let begin = environment.now()
        while mayContinue && !rest.isEmpty || underWay.count > 0 {
            // The first requests are sent regardless of the time that has passed.
            if rest.count < candidates.count, environment.now().timeIntervalSince(begin) > SendsUnderWay.term {
                mayContinue = false
            }
            if mayContinue {
                let chosen = rest.prefix(underWay.room)
                rest = rest.dropFirst(chosen.count)
                let (attempts, failed) = builder.attempts(chosen)
                handOver(attempts, from: underWay.add(attempts), to: queue)
                if !failed.isEmpty { mayContinue = try await record(failed) }
            }
            guard underWay.count > 0 else { continue }
            let entries: [ResultQueue.Entry]
            if let first = wait {
                entries = await first(for: queue.take)
                // The next record is progress, and the attempt no longer counts.
                wait = nil
            } else {
                entries = await queue.take()
            }
            let ended = await completed(entries, &underWay)
            // If the round is stopped in the meantime, the other candidates are left as they are.
            mayContinue = try await record(ended) && mayContinue
        }
        return mayContinue
    }

    private func handOver(_ attempts: [PushAttempt], from number: Int, to queue: ResultQueue) {
        var rest = attempts.indices
        let now = environment.now
        let begin = now()
        while let first = rest.first {
            // There are few routes, and equal ones are adjacent; comparing neighbours is cheaper than a dictionary.
            let route = attempts[first].routed.route
            let end = rest.first { attempts[$0].routed.route != route } ?? rest.upperBound
            transport.send(attempts[first..<end].map(\.routed.request), by: route) { index, result in
                queue.put(
                    .init(index: number + first + index, result: result, seconds: now().timeIntervalSince(begin))
                )
            }
            rest = end..<rest.upperBound
        }
    }

    /// Interprets the responses. An expired provider token is renewed. If a new one would not help, the credentials or
    /// this server's clock are wrong.
    private func completed(
        _ entries: [ResultQueue.Entry], _ underWay: inout SendsUnderWay
    ) async -> [CompletedAttempt] {
        let (now, accountStates) = (environment.now(), builder.accountStates)
        var completed: [CompletedAttempt] = []
        completed.reserveCapacity(entries.count)
        var renewals: [PushProvider: Bool] = [:]
        for entry in entries {
            let attempt = underWay.end(entry.index)
            let candidate = attempt.candidate
            if case .answered = entry.result { durations?.note(entry.seconds, of: candidate.token.provider) }
            let account = accountStates.account(of: candidate)
            var outcome = account.outcome(of: entry.result, to: attempt.routed, now: now)
            if case .credentialExpired(let reason) = outcome {
                let provider = candidate.token.provider
                let isRenewed: Bool
                if let known = renewals[provider] {
                    isRenewed = known
                } else {
                    isRenewed = await account.renew(now: now)
                    renewals[provider] = isRenewed
                }
                if !isRenewed { outcome = .credentialError(reason: "\(reason), check the clock") }
            }
            completed.append(
                CompletedAttempt(
                    candidate: candidate, end: .outcome(outcome), at: now, seconds: entry.seconds,
                    tellsOfSender: account.believes(attempt.routed)
                )
            )
        }
        return completed
    }
}

extension PushPipeline {
    /// An exchange for one round with these messages.
    func exchange<Messages: PushMessages>(
        _ messages: Messages, accountStates: [PushProvider: PushAccounts.AccountState], now: Date
    ) -> PushExchange<Messages> {
        PushExchange(
            builder: PushRequestBuilder(messages, accountStates: accountStates, now: now), transport: transport,
            environment: environment, durations: durations
        )
    }
}
