import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

extension TokenOptOut {
    /// The opt-out that an outcome causes for the token that the push was sent to; nil if it causes none (REG-31).
    init?(after outcome: PushOutcome, _ candidate: Candidate, now: Date) {
        let consequence = FeedbackConsequence.consequence(
            of: outcome, tokenRegisteredAt: candidate.recipient.tokenAt ?? .distantPast, now: now
        )
        guard let optOut = consequence.optOut else { return nil }
        self.init(
            device: candidate.recipient.device, token: candidate.token.value, invalidSince: outcome.invalidSince,
            optOut: optOut
        )
    }
}

/// Feedback of one push service about the tokens of an app.
struct TokenFeedback {
    let connection: any SQLConnection
    let app: Int64
    let provider: PushProvider
    /// The revision of the credentials with which the pushes were sent.
    let revision: Int64?

    /// Opts devices out. If the credentials were replaced meanwhile, only invalid tokens count: errors of the former
    /// credentials no longer matter (REG-33, REG-35).
    ///
    /// - Returns: whether the credentials are still the same. They are checked only if there is an opt-out.
    func apply(_ optOuts: [TokenOptOut]) throws -> Bool {
        guard !optOuts.isEmpty else { return true }
        let isCurrent = try connection.credentials.find(app: app, provider: provider)?.revision == revision
        try connection.optOuts.record(isCurrent ? optOuts : optOuts.filter { $0.optOut.reason == .tokenInvalid })
        return isCurrent
    }
}

extension PushOutcome {
    fileprivate var invalidSince: Date? {
        if case .tokenInvalid(_, let since) = self { since } else { nil }
    }
}
