import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A recipient who gets a push now, unless a campaign's frequency cap or rate limit prevents it.
///
/// A class, although it is immutable: it is passed from step to step, and a copy would retain a dozen references.
final class Candidate: Sendable {
    let recipient: Recipient
    let token: PushToken
    let timing: MessageTiming
    let due: DeliveryUpdate.Due?

    init(recipient: Recipient, token: PushToken, timing: MessageTiming, due: DeliveryUpdate.Due?) {
        self.recipient = recipient
        self.token = token
        self.timing = timing
        self.due = due
    }
}

extension Candidate {
    /// Whether the push service refused the last push to the device for the sender's credentials (REG-33).
    var wasRefused: Bool { recipient.consent.optOut?.reason == .providerAuthentication }
}

/// One request of a round. A class, like ``Candidate``.
final class PushAttempt: Sendable {
    let candidate: Candidate
    let routed: RoutedRequest

    init(candidate: Candidate, routed: RoutedRequest) {
        self.candidate = candidate
        self.routed = routed
    }
}

/// How an attempt ended, whether or not a request was sent.
enum AttemptEnd: Error, Sendable {
    /// What the push service's response means, or what has the same consequence.
    case outcome(PushOutcome)
    case unrenderable(RenderError)
    case noCredentials
}

/// An attempt that ended.
struct CompletedAttempt: Sendable {
    let candidate: Candidate
    let end: AttemptEnd
    let at: Date
    /// How long the push service took, in seconds; nil where nothing was sent.
    var seconds: TimeInterval?
    /// Whether it may tell something of the sender: it does not come from a host that may be a stranger's.
    var tellsOfSender = true
}

/// The sends of a round without a response yet, by the number that each got when it was handed over.
struct SendsUnderWay {
    /// Sends of one round in flight at once. So many may still go out after a pause or with wrong credentials (REG-33).
    static let window = 256
    /// Seconds after which a round hands no more over. What it has read of the others is old by then, and they are looked at
    /// anew: their consent, their tokens, and whether the message may still leave.
    static let term: TimeInterval = 15

    /// A completed one is released at once, because its payload is large.
    private var attempts: [PushAttempt?] = []
    private(set) var count = 0

    /// How many more may be sent.
    var room: Int { Self.window - count }

    /// - Returns: the number of the first; the others follow.
    mutating func add(_ more: [PushAttempt]) -> Int {
        defer {
            attempts += more
            count += more.count
        }
        return attempts.count
    }

    /// Removes a completed one. Each completes once.
    mutating func end(_ number: Int) -> PushAttempt {
        // Cannot fail: a transport completes every request exactly once.
        guard let attempt = attempts[number] else { preconditionFailure("a transport completed one request twice") }
        attempts[number] = nil
        count -= 1
        return attempt
    }
}
