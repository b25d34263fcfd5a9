import BelfryModel

/// Watches a campaign's answers for trouble that is the sender's own and pauses before it costs an audience.
///
/// A wrong key shows at the first answer (REG-33). A wrong topic or environment looks like many bad tokens: it is
/// certain as soon as more than half of the first ``window`` answers cannot be anything else, so after 101 faults at
/// the earliest (REG-35). A campaign with fewer faults than that is never paused for them: in a small audience, some
/// bad tokens are just that.
///
/// Each run of a campaign has a watch of its own: after a resume, a new one counts from zero.
public struct ProviderTroubleWatch: Hashable, Sendable, Codable {
    /// Answers that are judged.
    public static let window = 200

    /// What an outcome means for the campaign.
    public enum Verdict: Hashable, Sendable {
        case goOn
        /// Pause the campaign; the sentence says why, and what to do. It is repeated for the answers in flight.
        case pause(reason: String)
    }

    /// Answers counted so far, ``window`` at most; the faults are among them.
    public private(set) var answers: Int
    public private(set) var malformedTokens: Int
    public private(set) var topicFaults: Int

    /// A watch that has seen nothing yet, or one taken up again after a restart from what the ledger counted.
    public init(answers: Int = 0, malformedTokens: Int = 0, topicFaults: Int = 0) {
        self.answers = answers
        self.malformedTokens = malformedTokens
        self.topicFaults = topicFaults
    }

    /// Counts one outcome and judges.
    ///
    /// Only what ends a send counts as an answer: a send that is tried again is answered later.
    public mutating func observe(_ outcome: PushOutcome) -> Verdict {
        switch outcome {
        case .credentialFault(let reason):
            return .pause(
                reason: "The push service refused the credentials (\(reason)). "
                    + "Put right credentials, then resume: no send is lost."
            )
        case .credentialExpired, .throttled, .unavailable, .unanswered, .notSent:
            break
        case .accepted, .tokenInvalid, .tokenMalformed, .topicFault, .payloadFault:
            count(outcome)
        }
        return verdict
    }

    private mutating func count(_ outcome: PushOutcome) {
        guard answers < Self.window else { return }
        answers += 1
        if case .tokenMalformed = outcome { malformedTokens += 1 }
        if case .topicFault = outcome { topicFaults += 1 }
    }

    /// Whether the answers can only mean a wrong topic or environment: what fixes it lifts their opt-outs (REG-35).
    public var isTopicTrouble: Bool {
        (malformedTokens + topicFaults) * 2 > Self.window
    }

    private var verdict: Verdict {
        guard isTopicTrouble else { return .goOn }
        return .pause(
            reason: "Of the first \(answers) answers, \(malformedTokens) called the token malformed and \(topicFaults) "
                + "said that it belongs to another topic. Check that topic and environment of the credentials are the "
                + "app's, then resume."
        )
    }
}
