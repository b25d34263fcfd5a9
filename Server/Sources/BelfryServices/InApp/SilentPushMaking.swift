import BelfryModel
import BelfryPush
import BelfryRules
import BelfryStore
import Foundation

/// One request with what its outcome is judged by.
struct SilentSending: Sendable {
    let push: TakenSilentPush
    let recipient: Recipient
    let token: PushToken
    let account: any PushAccount
    let routed: RoutedRequest
}

/// Makes the requests of one round: what pushes with the same reasons share is made once.
struct SilentPushMaking {
    /// How the app stands at a push service.
    enum Standing: Sendable {
        case known(PushAccounts.Standing)
        /// Its credentials are refused, or cannot be opened: nothing is asked of it.
        case refused
    }

    private struct SenderKey: Hashable {
        let provider: PushProvider
        let reasons: SilentPushReasons
    }

    let standings: [PushProvider: Standing]
    /// The push services that the app has credentials for.
    let providers: Set<PushProvider>
    let marking: RecipientMarking
    let now: Date
    private var senders: [SenderKey: any PushSender] = [:]

    init(
        standings: [PushProvider: Standing], providers: Set<PushProvider>, marking: RecipientMarking, now: Date
    ) {
        self.standings = standings
        self.providers = providers
        self.marking = marking
        self.now = now
    }

    /// The requests of these pushes, and the ends of those for which none is made: who opted out since the reason came
    /// gets nothing.
    mutating func sendings(
        _ pushes: [TakenSilentPush], _ recipients: [Recipient], jitter: () -> Double
    ) -> (sendings: [SilentSending], ended: [SilentPushVerdict]) {
        let found = Dictionary(recipients.map { ($0.device, $0) }) { first, _ in first }
        var sendings: [SilentSending] = []
        var ended: [SilentPushVerdict] = []
        for push in pushes {
            guard let recipient = found[push.device] else {
                ended.append(.dropped(push, .noToken))
                continue
            }
            switch RecipientDecision.decide(recipient, now: now, providers: providers) {
            case .send(let token) where token.provider == .webpush: ended.append(.dropped(push, .browser))
            case .send(let token):
                switch sending(push, recipient, token, jitter: jitter) {
                case .success(let sending): sendings.append(sending)
                case .failure(let fault): ended.append(fault.verdict)
                }
            case .suppress(let reason): ended.append(.dropped(push, SilentPushCause(reason)))
            // It says so of what waits for a retry alone.
            case .later: ended.append(.dropped(push, .noAnswer))
            }
        }
        return (sendings, ended)
    }

    private struct Unmade: Error {
        let verdict: SilentPushVerdict
    }

    private mutating func sending(
        _ push: TakenSilentPush, _ recipient: Recipient, _ token: PushToken, jitter: () -> Double
    ) -> Result<SilentSending, Unmade> {
        func end(_ outcome: PushOutcome) -> Result<SilentSending, Unmade> {
            .failure(Unmade(verdict: .after(outcome, push, recipient, token, now: now, jitter: jitter)))
        }
        switch standings[token.provider] {
        case nil: return .failure(Unmade(verdict: .dropped(push, .noCredentials)))
        case .refused?: return .failure(Unmade(verdict: .dropped(push, .credentialFault)))
        case .known(.failed(let outcome))?: return end(outcome)
        case .known(.ready(let account))?:
            let message = OutgoingMessage(
                token: token, id: .make(silentPush: push.state.number, device: recipient.client),
                mark: marking.mark(of: recipient.contact ?? 0), texts: []
            )
            do throws(PushRequestFault) {
                let routed = try sender(push.state.carried, token.provider, account).request(message, now: now)
                return .success(
                    SilentSending(push: push, recipient: recipient, token: token, account: account, routed: routed)
                )
            } catch {
                return end(error.outcome)
            }
        }
    }

    private mutating func sender(
        _ reasons: SilentPushReasons, _ provider: PushProvider, _ account: any PushAccount
    ) throws(PushRequestFault) -> any PushSender {
        let key = SenderKey(provider: provider, reasons: reasons)
        if let sender = senders[key] { return sender }
        let sender = try account.sender(
            of: SilentPush.content(of: reasons), style: .silent, extras: PushExtras(reasons), campaign: nil,
            expiresAt: now.addingTimeInterval(SilentPush.lifetime)
        )
        senders[key] = sender
        return sender
    }
}

extension SilentPushCause {
    /// Why a push may not be sent at all.
    fileprivate init(_ reason: DeliveryReason) {
        switch reason {
        case .noToken: self = .noToken
        case .noCredentials: self = .noCredentials
        default: self = .optedOut
        }
    }
}
