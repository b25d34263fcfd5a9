import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import Crypto
import Foundation

/// Silent pushes for push services. Those with the same reasons have the same content.
struct SilentPushMessages: PushMessages {
    private let pushes: [Int64: ClaimedSilentPush]
    private let tagger: RecipientTagger
    /// The nonces of devices that may take a contact over, by device. A push without a nonce carries an empty one,
    /// which has no meaning.
    private let nonces: [Int64: String]

    /// - Parameters:
    ///   - pushes: one for each device.
    ///   - tagKey: the key of the ``RecipientTag``.
    init(_ pushes: [ClaimedSilentPush], tagKey: SymmetricKey, nonces: [Int64: String] = [:]) {
        self.nonces = nonces
        self.pushes = Dictionary(pushes.map { ($0.device, $0) }) { first, _ in first }
        tagger = RecipientTagger(key: tagKey)
    }

    /// The push that is sent to a candidate.
    func push(to candidate: Candidate) -> ClaimedSilentPush {
        // Cannot fail: candidates are chosen for pushes.
        guard let push = pushes[candidate.recipient.device] else {
            preconditionFailure("a candidate has no silent push")
        }
        return push
    }

    func message(to candidate: Candidate) throws(RenderError) -> (message: OutgoingMessage, variant: Int) {
        let (recipient, state) = (candidate.recipient, push(to: candidate).state)
        let message = OutgoingMessage(
            token: candidate.token, id: .make(silentPush: state.number, device: recipient.client),
            mark: tagger.mark(of: recipient.tagContact ?? 0),
            texts: state.carried.contains(.takeover) ? [nonces[recipient.device] ?? ""] : []
        )
        return (message, Int(state.carried.rawValue))
    }

    func sender(
        of variant: Int, format: PushFormat, through account: any PushProviderSession, expiresAt: Date
    ) throws(PushRequestError) -> any PushSender {
        let reasons = SilentPushReasons(rawValue: Int64(variant))
        return try account.sender(
            of: SilentPush.content(of: reasons), style: .silent, extras: PushExtras(reasons), format: format,
            campaign: nil,
            expiresAt: expiresAt
        )
    }
}
