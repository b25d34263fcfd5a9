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
    private var variants: [String?: Int] = [:]
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
        self.messageID = messageID ?? { [campaign = load.row.id] in .make(campaign: campaign, device: $0) }
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
            do {
                let variant = variant(of: recipient)
                let texts = try load.templates.texts(of: variant, values: recipient.values)
                switch standings[candidate.token.provider] {
                case .ready(let account):
                    let message = OutgoingMessage(
                        token: candidate.token, id: messageID(recipient.client),
                        mark: marking.mark(of: recipient.contact ?? 0),
                        texts: texts, badge: load.badge == nil ? nil : badges[recipient.device]
                    )
                    let sender = try sender(candidate, variant, account)
                    sendings.append(
                        Sending(candidate: candidate, account: account, routed: try sender.request(message, now: now))
                    )
                case .failed(let outcome):
                    verdicts.append(.after(outcome, candidate, load, now: now, jitter: jitter))
                case nil:
                    verdicts.append(.suppressed(recipient, .noCredentials))
                }
            } catch let fault as RenderFault {
                verdicts.append(.unrenderable(recipient, fault))
            } catch {
                let outcome = (error as? PushRequestFault ?? .contentNotEncodable).outcome
                verdicts.append(.after(outcome, candidate, load, now: now, jitter: jitter))
            }
        }
        return (sendings, verdicts)
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
        if let variant = variants[recipient.locale] { return variant }
        let variant = load.templates.variant(for: recipient.locale)
        variants[recipient.locale] = variant
        return variant
    }
}
