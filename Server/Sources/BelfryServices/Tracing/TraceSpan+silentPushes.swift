import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// Spans of the server's own silent pushes, which have no row in the ledger. Their trace's id is also the push's.
extension TraceSpan {
    /// The spans of some attempts: one for each that was sent, and that of the push if it has ended.
    ///
    /// - Parameter results: the results of the attempts, in their order.
    static func spans(of results: [SilentPushResult], after attempts: [CompletedAttempt]) -> [TraceSpan] {
        zip(results, attempts).flatMap { (result, attempt) -> [TraceSpan] in
            let (state, client) = (result.push.state, attempt.candidate.recipient.client)
            let provider = attempt.candidate.token.provider.rawValue
            let trace = MessageID.make(silentPush: state.number, device: client).uuid
            let number = state.attempts + 1
            let attributes: [String: Value] = [
                "belfry.device": .text(client.rawValue), "belfry.state": .text(result.end.word),
                "belfry.attempts": .number(number), "belfry.provider": .text(provider),
            ]
            let error = result.end == .accepted ? nil : result.end.word
            var spans: [TraceSpan] = []
            if result.wasTried {
                spans.append(
                    TraceSpan(
                        number: number, trace: trace, name: "push \(provider)",
                        begin: attempt.at.addingTimeInterval(-(attempt.seconds ?? 0)), end: attempt.at,
                        attributes: attributes, error: error
                    ))
            }
            if case .again = result.end { return spans }
            spans.append(
                TraceSpan(
                    number: 0, trace: trace, name: "silent push", begin: min(state.triedAt ?? attempt.at, attempt.at),
                    end: attempt.at, attributes: attributes, error: error
                ))
            return spans
        }
    }
}

extension SilentPushResult {
    /// Whether a request was sent to the push service.
    fileprivate var wasTried: Bool {
        switch outcome {
        case nil, .notSent?: false
        default: true
        }
    }
}
