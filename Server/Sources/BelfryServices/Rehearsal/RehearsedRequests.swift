import BelfryModel
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// Checks the requests of a campaign in virtual time. If a content is the same for all recipients, one request stands
/// for all that a push service would treat alike: their ids and tags have the same length.
struct RehearsedRequests: Sendable {
    /// What the result depends on, besides the content.
    private struct Kind: Hashable {
        let provider: PushProvider
        let variant: Int
        let format: PushFormat
        let tokenLength: Int
        let channel: String?
    }

    private struct Judgement {
        /// The end of the attempt; nil if the request can be built.
        let end: AttemptEnd?
    }

    /// The most kinds that are stored: devices choose the names of their channels, so the number is bounded.
    private static let maximumKinds = 1_000

    private var builder: PushRequestBuilder<CampaignMessages>
    private let start: Date
    private var known: [Kind: Judgement] = [:]
    /// How many requests were built. For tests of the cost.
    private(set) var built = 0

    /// - Parameters:
    ///   - accounts: accounts that build requests without sending any.
    ///   - start: nothing is sent before this time.
    init(
        _ load: BatchContext, accounts: [PushProvider: PushAccounts.AccountState], tagKey: SymmetricKey, start: Date
    ) {
        builder = PushRequestBuilder(CampaignMessages(load, tagKey: tagKey), accountStates: accounts, now: start)
        self.start = start
    }

    /// - Parameter along: the server's own reasons that a silent push also carries.
    /// - Returns: the end of an attempt whose request cannot be built; nil if it can.
    mutating func flaw(of candidate: Candidate, along: SilentPushReasons? = nil) -> CompletedAttempt? {
        builder.messages.along = along.map { [candidate.recipient.device: $0] } ?? [:]
        guard let kind = kind(of: candidate) else { return build(candidate) }
        if let judgement = known[kind] {
            return judgement.end.map { CompletedAttempt(candidate: candidate, end: $0, at: start) }
        }
        let flaw = build(candidate)
        if known.count >= Self.maximumKinds { known = [:] }
        known[kind] = Judgement(end: flaw?.end)
        return flaw
    }

    /// The kind of a request; nil if each request must be built, because of its texts, its silent push reasons, or the
    /// address that a browser gave.
    private mutating func kind(of candidate: Candidate) -> Kind? {
        let provider = candidate.token.provider
        guard builder.messages.load.style != .silent, provider != .webpush else { return nil }
        let variant = builder.messages.variant(of: candidate.recipient)
        guard !builder.messages.load.templates.differs(variant) else { return nil }
        return Kind(
            provider: provider, variant: variant, format: candidate.recipient.format,
            tokenLength: candidate.token.value.utf8.count, channel: candidate.recipient.v3?.channel
        )
    }

    private mutating func build(_ candidate: Candidate) -> CompletedAttempt? {
        built += 1
        return builder.flaw(of: candidate)
    }
}
