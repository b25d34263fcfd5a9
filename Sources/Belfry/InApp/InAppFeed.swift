/// Tells the app what was decided about its in-app messages, and what the person did in them. Each access is a listener
/// of its own, and hears what comes from then on.
final class InAppFeed: Sendable {
    /// What waits for a slow listener.
    static let maximumDecisions = 100
    static let maximumActions = 100

    private let decisionBroadcast = Broadcast<InAppDecisionReport>(maximumWaiting: InAppFeed.maximumDecisions)
    /// One word says all.
    private let inlineBroadcast = Broadcast<Void>(maximumWaiting: 1)
    private let actionBroadcast = Broadcast<InAppActionReport>(maximumWaiting: InAppFeed.maximumActions)

    var decisions: AsyncStream<InAppDecisionReport> { decisionBroadcast.listen() }
    var actions: AsyncStream<InAppActionReport> { actionBroadcast.listen() }

    var inlineUpdates: AsyncStream<Void> { inlineBroadcast.listen() }

    func tell(_ decision: InAppDecisionReport) {
        decisionBroadcast.send(decision)
    }

    func tell(_ action: InAppActionReport) {
        actionBroadcast.send(action)
    }

    /// There may be another inline message for a place in the app.
    func tellInlines() {
        inlineBroadcast.send(())
    }

    /// What waits is about a person who has left (IAM-11).
    func purge() {
        decisionBroadcast.purge()
        actionBroadcast.purge()
    }

    func finish() {
        decisionBroadcast.finish()
        actionBroadcast.finish()
        inlineBroadcast.finish()
    }
}
