import BelfryModel
import BelfryServerModel

/// Detects from a campaign's responses that the sender's configuration is wrong, and pauses the campaign before it
/// loses its audience.
///
/// Wrong credentials show at the first response (REG-33). A wrong topic or environment looks like many bad tokens: it
/// is certain once more than half of the first ``window`` responses are such errors, so after 101 errors at the
/// earliest (REG-35). A campaign with fewer errors is never paused for them, because a small audience may have some bad
/// tokens.
///
/// Each run of a campaign has its own circuit breaker: after a resume, a new one counts from zero. The caller must
/// leave out responses that anybody can cause.
package struct ProviderCircuitBreaker: Hashable, Sendable, Codable {
    /// The number of responses that are judged.
    package static let window = 200

    /// The consequence of an outcome for the campaign.
    package enum Decision: Hashable, Sendable {
        case proceed
        /// Pause the campaign; the sentence says why, and what to do. It is repeated for the responses in flight.
        case pause(reason: String)
    }

    /// Responses counted so far, including the errors; at most ``window``.
    package private(set) var answers: Int
    package private(set) var malformedTokens: Int
    package private(set) var topicFaults: Int
    package private(set) var accepted: Int

    /// A new circuit breaker, or one that continues after a restart with the counts of the ledger.
    package init(answers: Int = 0, malformedTokens: Int = 0, topicFaults: Int = 0, accepted: Int = 0) {
        self.answers = answers
        self.malformedTokens = malformedTokens
        self.topicFaults = topicFaults
        self.accepted = accepted
    }

    private enum CodingKeys: String, CodingKey { case answers, malformedTokens, topicFaults, accepted }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        answers = try container.decode(Int.self, forKey: .answers)
        malformedTokens = try container.decode(Int.self, forKey: .malformedTokens)
        topicFaults = try container.decode(Int.self, forKey: .topicFaults)
        // Earlier versions did not store this count.
        accepted = try container.decodeIfPresent(Int.self, forKey: .accepted) ?? 0
    }

    /// Counts one outcome and decides.
    ///
    /// Only an outcome that ends a send counts: a send that is retried gets its response later.
    package mutating func observe(_ outcome: PushOutcome) -> Decision {
        switch outcome {
        case .credentialError(let reason):
            return .pause(
                reason: "The push service rejected the credentials (\(reason)). "
                    + "\(CredentialAdvice.sentence(after: reason)) No message is lost."
            )
        case .credentialExpired, .throttled, .unavailable, .unanswered, .notSent:
            break
        case .accepted, .tokenInvalid, .tokenMalformed, .topicError, .payloadError:
            count(outcome)
        }
        return decision
    }

    private mutating func count(_ outcome: PushOutcome) {
        guard answers < Self.window else { return }
        answers += 1
        if case .accepted = outcome { accepted += 1 }
        if case .tokenMalformed = outcome { malformedTokens += 1 }
        if case .topicError = outcome { topicFaults += 1 }
    }

    /// Whether the responses can only mean a wrong topic or environment; correct credentials lift their opt-outs
    /// (REG-35).
    package var hasTopicErrors: Bool {
        (malformedTokens + topicFaults) * 2 > Self.window
    }

    /// Whether enough responses were acceptances to prove that topic, environment and credentials fit the app: as many
    /// as are needed to prove the opposite.
    package var provesCredentials: Bool {
        accepted * 2 > Self.window
    }

    private var decision: Decision {
        guard hasTopicErrors else { return .proceed }
        return .pause(
            reason: "Of the first \(answers) responses, \(malformedTokens) reported a malformed token and "
                + "\(topicFaults) a token of another topic. Check that topic and environment of the credentials match "
                + "the app, then resume. If they do, these tokens are worthless: their devices are opted out, and the "
                + "campaign continues with the others."
        )
    }
}
