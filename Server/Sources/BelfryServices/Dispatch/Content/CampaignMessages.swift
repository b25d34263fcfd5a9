import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Crypto
import Foundation

/// A campaign's messages for push services. It handles millions of recipients, so variants are chosen once for each
/// locale.
struct CampaignMessages: PushMessages {
    /// The badges in the messages of a campaign that changes badges.
    enum Badges: Sendable {
        /// No badge is stored yet: each message has the badge with the most digits that the campaign can produce.
        case widest
        /// The stored badges, by device.
        case stored([Int64: Badge])
    }

    let load: BatchContext
    private let tagger: RecipientTagger
    /// Returns the id of the message to one device.
    private let messageID: @Sendable (DeviceID) -> MessageID
    var badges = Badges.widest
    /// The server's own reasons that silent pushes also carry, by device (PUSH-7).
    var along: [Int64: SilentPushReasons] = [:]
    private var variants: [String?: Int] = [:]
    private var lastVariant: (locale: String?, variant: Int)?

    /// - Parameters:
    ///   - tagKey: the key of the ``RecipientTag``.
    ///   - messageID: nil for the id from campaign and device, which is the same in each attempt (PUSH-5).
    init(_ load: BatchContext, tagKey: SymmetricKey, messageID: (@Sendable (DeviceID) -> MessageID)? = nil) {
        self.load = load
        tagger = RecipientTagger(key: tagKey)
        self.messageID = messageID ?? MessageNaming(campaign: load.row.id).id
    }

    mutating func message(
        to candidate: Candidate
    ) throws(RenderError) -> (message: OutgoingMessage, variant: Int) {
        let recipient = candidate.recipient
        let variant = variant(of: recipient)
        let message = OutgoingMessage(
            token: candidate.token, id: messageID(recipient.client), mark: tagger.mark(of: recipient.tagContact ?? 0),
            texts: try load.templates.render(variant, values: recipient.values),
            badge: load.badge == nil ? nil : badge(of: recipient), channel: recipient.v3?.channel
        )
        return (message, SentVariant(template: variant, along: along[recipient.device] ?? []).number)
    }

    private func badge(of recipient: Recipient) -> Badge? {
        switch badges {
        case .widest: Badge(count: load.maximumBadge, revision: Int64(UInt32.max))
        case .stored(let badges): badges[recipient.device]
        }
    }

    func sender(
        of variant: Int, format: PushFormat, through account: any PushProviderSession, expiresAt: Date
    ) throws(PushRequestError) -> any PushSender {
        let variant = SentVariant(number: variant)
        return try account.sender(
            of: load.templates.content(of: variant.template), style: load.style,
            extras: variant.along.isEmpty ? load.extras : PushExtras(variant.along), format: format,
            campaign: load.row.id, expiresAt: expiresAt
        )
    }

    mutating func variant(of recipient: Recipient) -> Int {
        if let lastVariant, lastVariant.locale == recipient.locale { return lastVariant.variant }
        let variant = variants[recipient.locale] ?? load.templates.variant(for: recipient.locale)
        variants[recipient.locale] = variant
        lastVariant = (recipient.locale, variant)
        return variant
    }
}

/// A variant of the content and the reasons that the push also carries, as one number.
private struct SentVariant {
    let template: Int
    let along: SilentPushReasons

    private static let bits = 2

    init(template: Int, along: SilentPushReasons) {
        self.template = template
        self.along = along
    }

    init(number: Int) {
        template = number >> Self.bits
        along = SilentPushReasons(rawValue: Int64(number) & (1 << Self.bits - 1))
    }

    var number: Int { template << Self.bits | Int(along.saidAlong.rawValue) }
}

extension PushRequestBuilder<CampaignMessages> {
    /// The candidates whose push can be built with any badge, and the ends of the attempts for the others. If a push
    /// cannot be built, its badge must not change, so the push is built once before the badge is known and again after.
    mutating func makeable(_ candidates: [Candidate]) -> (makeable: [Candidate], failed: [CompletedAttempt]) {
        // In a message-center campaign the badge has changed together with the message already.
        guard !messages.load.isPlacing else { return (candidates, []) }
        messages.badges = .widest
        var makeable: [Candidate] = []
        makeable.reserveCapacity(candidates.count)
        var failed: [CompletedAttempt] = []
        for candidate in candidates {
            if let end = flaw(of: candidate) { failed.append(end) } else { makeable.append(candidate) }
        }
        return (makeable, failed)
    }
}
