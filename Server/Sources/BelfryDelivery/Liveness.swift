import NIOCore

/// Tracks whether the peer of a connection is still there. Any byte from it is a sign of life; a PING asks for one.
struct Liveness: Equatable, Sendable {
    enum Step: Equatable, Sendable {
        case wait(until: NIODeadline)
        case ping(checkAt: NIODeadline)
        case fail
    }

    let pingAfterSilence: TimeAmount
    let pingTimeout: TimeAmount
    private var lastHeard: NIODeadline
    private var pingSentAt: NIODeadline?

    init(pingAfterSilence: TimeAmount, pingTimeout: TimeAmount, now: NIODeadline) {
        self.pingAfterSilence = pingAfterSilence
        self.pingTimeout = pingTimeout
        lastHeard = now
    }

    /// - Returns: whether a PING waited for this, so that the next check is due earlier than announced.
    mutating func heard(at now: NIODeadline) -> Bool {
        lastHeard = now
        defer { pingSentAt = nil }
        return pingSentAt != nil
    }

    mutating func check(at now: NIODeadline) -> Step {
        if let pingSentAt {
            let end = pingSentAt + pingTimeout
            return now >= end ? .fail : .wait(until: end)
        }
        let quietUntil = lastHeard + pingAfterSilence
        guard now >= quietUntil else { return .wait(until: quietUntil) }
        pingSentAt = now
        return .ping(checkAt: now + pingTimeout)
    }
}
