import BelfryModel
import BelfryPush
import BelfryRules
import BelfryStore
import Crypto
import Foundation

/// Makes the requests of one round. A million recipients pass here: what many share (variants, senders) is made once.
struct RequestMaking {
    private struct SenderKey: Hashable {
        let provider: PushProvider
        let variant: Int
        let expiresAt: Date
    }

    let load: RoundLoad
    let standings: [PushProvider: PushAccounts.Standing]
    private let marking: RecipientMarking
    let now: Date
    /// Names the message to one device.
    let messageID: @Sendable (DeviceID) -> MessageID
    /// By device, for a campaign that changes them.
    var badges: [Int64: Badge] = [:]
    /// By device, what was made before its turn.
    private var made: [Int64: Sending] = [:]
    private var variants: [String?: Int] = [:]
    private var lastVariant: (locale: String?, variant: Int)?
    private var senders: [SenderKey: any PushSender] = [:]
    private var lastSender: (key: SenderKey, sender: any PushSender)?

    /// - Parameter messageID: nil for that of campaign and device, the same at each attempt (PUSH-5).
    init(
        _ load: RoundLoad, standings: [PushProvider: PushAccounts.Standing], markKey: SymmetricKey, now: Date,
        messageID: (@Sendable (DeviceID) -> MessageID)? = nil
    ) {
        self.load = load
        self.standings = standings
        marking = RecipientMarking(key: markKey)
        self.now = now
        self.messageID = messageID ?? MessageNaming(campaign: load.row.id).id
    }

    /// The requests of these candidates; the verdicts are about those for whom none can be made.
    mutating func sendings(_ candidates: some Collection<Candidate>, jitter: () -> Double) -> (
        sendings: [Sending], verdicts: [Verdict]
    ) {
        var sendings: [Sending] = []
        sendings.reserveCapacity(candidates.count)
        var verdicts: [Verdict] = []
        for candidate in candidates {
            let recipient = candidate.recipient
            if !made.isEmpty, let sending = made.removeValue(forKey: recipient.device) {
                sendings.append(sending)
                continue
            }
            do {
                let badge = badges.isEmpty ? nil : badges[recipient.device]
                let (message, variant) = try message(to: candidate, badge: badge)
                switch standings[candidate.token.provider] {
                case .ready(let account):
                    sendings.append(try sending(message, variant, candidate, account))
                case .failed(let outcome):
                    verdicts.append(.after(outcome, candidate, load, now: now, jitter: jitter))
                case nil:
                    verdicts.append(.suppressed(recipient, .noCredentials))
                }
            } catch {
                verdicts.append(verdict(on: error, candidate, jitter: jitter))
            }
        }
        return (sendings, verdicts)
    }

    /// Those whose push can be made, and who get none; the verdicts are about the others. A push that cannot be made
    /// must leave no message and no badge behind, so it is tried before either.
    mutating func makeable(
        _ placements: some Collection<Placement>, jitter: () -> Double
    ) -> (makeable: [Placement], verdicts: [Verdict]) {
        // A badge push follows a message that is placed in any case.
        guard !load.isPlacing else { return (Array(placements), []) }
        var makeable: [Placement] = []
        makeable.reserveCapacity(placements.count)
        var verdicts: [Verdict] = []
        for placement in placements {
            guard let candidate = placement.push, case .ready(let account)? = standings[candidate.token.provider] else {
                makeable.append(placement)
                continue
            }
            do {
                let (message, variant) = try message(to: candidate, badge: widestBadge)
                let sending = try sending(message, variant, candidate, account)
                // With a badge it is made anew: nobody knows the number yet.
                if load.badge == nil { made[candidate.recipient.device] = sending }
                makeable.append(placement)
            } catch {
                verdicts.append(verdict(on: error, candidate, jitter: jitter))
            }
        }
        return (makeable, verdicts)
    }

    /// No badge of the campaign has more digits.
    private var widestBadge: Badge { Badge(count: load.maximumBadge, revision: Int64(UInt32.max)) }

    private mutating func message(
        to candidate: Candidate, badge: Badge?
    ) throws(RenderFault) -> (message: OutgoingMessage, variant: Int) {
        let recipient = candidate.recipient
        let variant = variant(of: recipient)
        let message = OutgoingMessage(
            token: candidate.token, id: messageID(recipient.client), mark: marking.mark(of: recipient.contact ?? 0),
            texts: try load.templates.texts(of: variant, values: recipient.values),
            badge: load.badge == nil ? nil : badge
        )
        return (message, variant)
    }

    private mutating func sending(
        _ message: OutgoingMessage, _ variant: Int, _ candidate: Candidate, _ account: any PushAccount
    ) throws(PushRequestFault) -> Sending {
        let routed = try sender(candidate, variant, account).request(message, now: now)
        return Sending(candidate: candidate, routed: routed)
    }

    /// About a recipient for whom no request can be made.
    private func verdict(on error: any Error, _ candidate: Candidate, jitter: () -> Double) -> Verdict {
        if let fault = error as? RenderFault { return .unrenderable(candidate.recipient, fault) }
        let outcome = (error as? PushRequestFault ?? .contentNotEncodable).outcome
        return .after(outcome, candidate, load, now: now, jitter: jitter)
    }

    /// Whether a push could leave through it now.
    func isReady(_ provider: PushProvider) -> Bool {
        if case .ready? = standings[provider] { true } else { false }
    }

    private mutating func sender(
        _ candidate: Candidate, _ variant: Int, _ account: any PushAccount
    ) throws(PushRequestFault) -> any PushSender {
        let key = SenderKey(
            provider: candidate.token.provider, variant: variant, expiresAt: candidate.timing.expiresAt
        )
        if let lastSender, lastSender.key == key { return lastSender.sender }
        let sender: any PushSender
        if let known = senders[key] {
            sender = known
        } else {
            sender = try account.sender(
                of: load.templates.content(of: variant), style: load.style, extras: load.extras,
                campaign: load.row.id, expiresAt: key.expiresAt
            )
            senders[key] = sender
        }
        lastSender = (key, sender)
        return sender
    }

    private mutating func variant(of recipient: Recipient) -> Int {
        if let lastVariant, lastVariant.locale == recipient.locale { return lastVariant.variant }
        let variant = variants[recipient.locale] ?? load.templates.variant(for: recipient.locale)
        variants[recipient.locale] = variant
        lastVariant = (recipient.locale, variant)
        return variant
    }
}
