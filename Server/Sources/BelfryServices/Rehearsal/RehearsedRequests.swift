import BelfryModel
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// Judges the requests of a campaign in virtual time. Where a content says the same to all, one request stands for those
/// that differ from it in nothing that a push service would refuse: they have names and tags of one length.
struct RehearsedRequests: Sendable {
    /// What the judgement depends on besides.
    private struct Kind: Hashable {
        let provider: PushProvider
        let variant: Int
        let format: PushFormat
        let tokenLength: Int
        let channel: String?
    }

    private struct Judgement {
        /// Nil: it can be made.
        let end: AttemptEnd?
    }

    /// Devices name their channels themselves.
    private static let maximumKinds = 1_000

    private var builder: PushRequestBuilder<CampaignMessages>
    private let start: Date
    private var known: [Kind: Judgement] = [:]
    /// How many were built: for tests of the cost.
    private(set) var built = 0

    /// - Parameters:
    ///   - accounts: those that build requests without sending any.
    ///   - start: nothing leaves before it.
    init(
        _ load: BatchContext, accounts: [PushProvider: PushAccounts.AccountState], tagKey: SymmetricKey, start: Date
    ) {
        builder = PushRequestBuilder(CampaignMessages(load, tagKey: tagKey), accountStates: accounts, now: start)
        self.start = start
    }

    /// - Parameter along: what a silent push takes along of the server's own.
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

    /// Nil where each is looked at: by its texts, by what it takes along, or by the address that a browser gave.
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
