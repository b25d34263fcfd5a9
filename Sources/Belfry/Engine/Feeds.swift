/// The streams that the app may listen to. Each listener is independent, and receives what is sent from then on.
struct Feeds: Sendable {
    let centerUpdates = Broadcast<MessageCenterUpdate>(maximumWaiting: 100)
    /// Only few may wait, because they are large.
    let centerResponses = Broadcast<MessageCenterResponse>(maximumWaiting: 4)
    let inAppDecisions = Broadcast<InAppDecisionReport>(maximumWaiting: 100)
    let inAppActions = Broadcast<InAppActionReport>(maximumWaiting: 100)
    /// A view of the app may get another inline message; one element is enough to signal that.
    let inlineOffers = Broadcast<Void>(maximumWaiting: 1)
    /// The ids of inline messages that have ended.
    let inlineEnds = Broadcast<Set<Int>>(maximumWaiting: InlineUses.maximumKnown)

    func finish() {
        centerUpdates.finish()
        centerResponses.finish()
        inAppDecisions.finish()
        inAppActions.finish()
        inlineOffers.finish()
        inlineEnds.finish()
    }
}
