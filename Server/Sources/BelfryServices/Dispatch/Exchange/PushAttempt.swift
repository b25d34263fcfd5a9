import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// A recipient who gets a push now, unless the campaign's frequency cap or rate limit prevents it.
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
    /// Whether the push service rejected the last push to the device because of the sender's credentials (REG-33).
    var wasRejected: Bool { recipient.consent.optOut?.reason == .providerAuthentication }
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
    /// The meaning of the push service's response, or of an event with the same consequence.
    case outcome(PushOutcome)
    case unrenderable(RenderError)
    case noCredentials
}

/// An attempt that ended.
struct CompletedAttempt: Sendable {
    let candidate: Candidate
    let end: AttemptEnd
    let at: Date
    /// How long the push service took to respond, in seconds; nil if nothing was sent.
    var seconds: TimeInterval?
    /// Whether the result may count as evidence about the sender: not if it comes from a host that anybody may run.
    var tellsOfSender = true
}

/// The pushes of a round that have no response yet, by the number that each got when it was handed to the transport.
struct SendsUnderWay {
    /// The most pushes of one round in flight. That many may still be sent after a pause or with wrong credentials
    /// (REG-33).
    static let window = 256
    /// Seconds after which a round hands no more pushes to the transport. The data that it has read about the remaining
    /// recipients is too old by then: the next round reads again their consent, their tokens, and whether the message
    /// may still be sent.
    static let term: TimeInterval = 15

    /// The attempts by number. A completed one is released immediately, because its payload is large.
    private var attempts: [PushAttempt?] = []
    private(set) var count = 0

    /// How many more pushes may be in flight.
    var room: Int { Self.window - count }

    /// - Returns: the number of the first attempt; the others follow.
    mutating func add(_ more: [PushAttempt]) -> Int {
        defer {
            attempts += more
            count += more.count
        }
        return attempts.count
    }

    /// Removes a completed attempt. Each completes once.
    mutating func end(_ number: Int) -> PushAttempt {
        // Cannot fail: a transport completes every request exactly once.
        guard let attempt = attempts[number] else { preconditionFailure("a transport completed one request twice") }
        attempts[number] = nil
        count -= 1
        return attempt
    }
}
