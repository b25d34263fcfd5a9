import NIOCore

/// Whether a push service that a device chose answers at all (SEC-5). If it does not, only one send at a time tries it,
/// after growing delays, and all others fail immediately, so that they do not delay other people's messages. It
/// performs no I/O.
struct RouteHealth: Equatable, Sendable {
    /// The delay after the first send without an answer; it doubles with each further one.
    static let firstPause = TimeAmount.seconds(1)
    static let longestPause = TimeAmount.seconds(30)

    private var failures = 0
    private var lastFailure = NIODeadline.distantPast
    private var lastAnswer: NIODeadline?
    private var notBefore = NIODeadline.distantPast
    /// Whether a send is trying the service now.
    private var isTrying = false

    /// Whether a send may begin.
    mutating func mayBegin(at now: NIODeadline) -> Bool {
        guard failures > 0 else { return true }
        guard !isTrying, notBefore <= now else { return false }
        isTrying = true
        return true
    }

    /// The first of a send's requests was answered, with any status.
    mutating func answered(at now: NIODeadline) {
        self = RouteHealth()
        lastAnswer = now
    }

    /// A send has ended without an answer. Sends that began at the same time count as one failure. A send that began
    /// before another was answered does not count.
    mutating func failed(begunAt: NIODeadline, now: NIODeadline) {
        guard lastAnswer.map({ begunAt > $0 }) ?? true, failures == 0 || begunAt > lastFailure else { return }
        isTrying = false
        lastFailure = now
        // Five doublings exceed the longest pause; more would overflow.
        let pause = Self.firstPause.nanoseconds << Int64(min(failures, 5))
        notBefore = now + min(.nanoseconds(pause), Self.longestPause)
        failures += 1
    }
}
