import BelfryCampaigns
import BelfryModel
import BelfryPush
import BelfryServerModel
import Foundation

/// The messages of a round: contents that many candidates share, and each candidate's own part.
protocol PushMessages: Sendable {
    /// The candidate's own part, and the variant of the content that it belongs to.
    mutating func message(
        to candidate: Candidate
    ) throws(RenderError) -> (message: OutgoingMessage, variant: Int)

    /// The sender of a variant through one account.
    func sender(
        of variant: Int, format: PushFormat, through account: any PushProviderSession, expiresAt: Date
    ) throws(PushRequestError) -> any PushSender
}

/// Builds the requests of one round. It handles millions of candidates, so senders are built once.
struct PushRequestBuilder<Messages: PushMessages> {
    var messages: Messages
    let accountStates: [PushProvider: PushAccounts.AccountState]
    private let now: Date
    private var senders: [SenderKey: any PushSender] = [:]
    private var lastSender: (key: SenderKey, sender: any PushSender)?

    init(_ messages: Messages, accountStates: [PushProvider: PushAccounts.AccountState], now: Date) {
        self.messages = messages
        self.accountStates = accountStates
        self.now = now
    }

    /// The requests of these candidates, and the ends of those whose request cannot be built.
    mutating func attempts(
        _ candidates: some Collection<Candidate>
    ) -> (attempts: [PushAttempt], failed: [CompletedAttempt]) {
        var attempts: [PushAttempt] = []
        attempts.reserveCapacity(candidates.count)
        var failed: [CompletedAttempt] = []
        for candidate in candidates {
            do throws(AttemptEnd) {
                attempts.append(try attempt(candidate))
            } catch {
                failed.append(CompletedAttempt(candidate: candidate, end: error, at: now))
            }
        }
        return (attempts, failed)
    }

    /// The end of an attempt whose request cannot be built; nil if it can.
    mutating func flaw(of candidate: Candidate) -> CompletedAttempt? {
        do throws(AttemptEnd) {
            _ = try attempt(candidate)
            return nil
        } catch {
            return CompletedAttempt(candidate: candidate, end: error, at: now)
        }
    }

    private mutating func attempt(_ candidate: Candidate) throws(AttemptEnd) -> PushAttempt {
        let own: (message: OutgoingMessage, variant: Int)
        do throws(RenderError) {
            own = try messages.message(to: candidate)
        } catch {
            throw AttemptEnd.unrenderable(error)
        }
        switch accountStates[candidate.token.provider] {
        case nil: throw AttemptEnd.noCredentials
        case .failed(let outcome)?: throw AttemptEnd.outcome(outcome)
        case .ready(let account)?:
            do throws(PushRequestError) {
                let routed = try sender(candidate, own.variant, account).request(own.message, now: now)
                return PushAttempt(candidate: candidate, routed: routed)
            } catch {
                throw AttemptEnd.outcome(error.outcome)
            }
        }
    }

    private mutating func sender(
        _ candidate: Candidate, _ variant: Int, _ account: any PushProviderSession
    ) throws(PushRequestError) -> any PushSender {
        let key = SenderKey(
            provider: candidate.token.provider, variant: variant, format: candidate.recipient.format,
            expiresAt: candidate.timing.expiresAt
        )
        if let lastSender, lastSender.key == key { return lastSender.sender }
        let sender: any PushSender
        if let known = senders[key] {
            sender = known
        } else {
            sender = try messages.sender(
                of: variant, format: key.format, through: account, expiresAt: key.expiresAt
            )
            senders[key] = sender
        }
        lastSender = (key, sender)
        return sender
    }
}

private struct SenderKey: Hashable {
    let provider: PushProvider
    let variant: Int
    let format: PushFormat
    let expiresAt: Date
}
