import NIOCore

/// Whether a push service that a device named answers at all (SEC-5). One that does not is asked by one send at a time,
/// later and later, and all others are told at once, so that they hold up nobody else's messages. A decision and no I/O.
struct RouteHealth: Equatable, Sendable {
    /// The wait after the first send without an answer; it doubles with each that follows.
    static let firstPause = TimeAmount.seconds(1)
    static let longestPause = TimeAmount.seconds(30)

    private var failures = 0
    private var lastFailure = NIODeadline.distantPast
    private var lastAnswer: NIODeadline?
    private var notBefore = NIODeadline.distantPast
    /// A send finds out.
    private var isTrying = false

    /// Whether a send may begin.
    mutating func mayBegin(at now: NIODeadline) -> Bool {
        guard failures > 0 else { return true }
        guard !isTrying, notBefore <= now else { return false }
        isTrying = true
        return true
    }

    /// The first of a send's requests was answered, whatever the answer.
    mutating func answered(at now: NIODeadline) {
        self = RouteHealth()
        lastAnswer = now
    }

    /// A send has ended without an answer. Those that began side by side fail side by side and count once; one that
    /// began before another was answered says nothing of the service.
    mutating func failed(begunAt: NIODeadline, now: NIODeadline) {
        guard lastAnswer.map({ begunAt > $0 }) ?? true, failures == 0 || begunAt > lastFailure else { return }
        isTrying = false
        lastFailure = now
        // Five doublings pass the longest pause; more would only overflow.
        let pause = Self.firstPause.nanoseconds << Int64(min(failures, 5))
        notBefore = now + min(.nanoseconds(pause), Self.longestPause)
        failures += 1
    }
}
