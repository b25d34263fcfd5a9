/// One request of a round with what its outcome is judged by. A reference, as the ``Candidate`` is.
final class Sending: Sendable {
    let candidate: Candidate
    let account: any PushAccount
    let routed: RoutedRequest

    init(candidate: Candidate, account: any PushAccount, routed: RoutedRequest) {
        self.candidate = candidate
        self.account = account
        self.routed = routed
    }
}
