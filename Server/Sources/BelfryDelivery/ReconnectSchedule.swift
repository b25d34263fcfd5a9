import NIOCore

/// When the next connection may be tried: immediately while connections get responses, and after growing delays while
/// they do not.
struct ReconnectSchedule: Equatable, Sendable {
    let firstDelay: TimeAmount
    let maximumDelay: TimeAmount
    private(set) var failures = 0
    private(set) var notBefore = NIODeadline.distantPast
    private var lastFailure = NIODeadline.distantPast

    init(firstDelay: TimeAmount, maximumDelay: TimeAmount) {
        self.firstDelay = firstDelay
        self.maximumDelay = maximumDelay
    }

    /// A connection ended without a response. Connections that were tried at the same time count as one failure.
    ///
    /// - Parameters:
    ///   - startedAt: when that connection was begun.
    ///   - jitter: 0 up to 1. Half of the delay is random, so that many senders do not reconnect at the same time.
    mutating func failed(startedAt: NIODeadline, now: NIODeadline, jitter: Double) {
        guard failures == 0 || startedAt >= lastFailure else { return }
        var delay = min(firstDelay.nanoseconds, maximumDelay.nanoseconds)
        for _ in 0..<min(failures, 62) where delay < maximumDelay.nanoseconds {
            delay = min(delay * 2, maximumDelay.nanoseconds)
        }
        failures += 1
        lastFailure = now
        let half = delay / 2
        notBefore = now + .nanoseconds(half + Int64(Double(half) * min(max(jitter, 0), 1)))
    }

    /// A connection received a response.
    mutating func succeeded() {
        failures = 0
        notBefore = .distantPast
    }
}
