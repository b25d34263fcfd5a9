/// One request of a round with what its outcome is judged by.
struct Sending: Sendable {
    let candidate: Candidate
    let account: any PushAccount
    let routed: RoutedRequest
}
