import BelfryPush

/// One request of a round with what its outcome is judged by. A reference, as the ``Candidate`` is.
final class Sending: Sendable {
    let candidate: Candidate
    let routed: RoutedRequest

    init(candidate: Candidate, routed: RoutedRequest) {
        self.candidate = candidate
        self.routed = routed
    }
}

/// A request and how it ended.
struct EndedSending {
    let sending: Sending
    let result: PushResult
}
