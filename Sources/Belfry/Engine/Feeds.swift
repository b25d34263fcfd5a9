/// The streams that the app may listen to. Each listener is independent, and receives what is sent from then on.
struct Feeds: Sendable {
    let centerUpdates = Broadcast<MessageCenterUpdate>(maximumWaiting: 100)
    /// Few may wait, because they are large.
    let centerResponses = Broadcast<MessageCenterResponse>(maximumWaiting: 4)
    let inAppDecisions = Broadcast<InAppDecisionReport>(maximumWaiting: 100)
    let inAppActions = Broadcast<InAppActionReport>(maximumWaiting: 100)
    /// A place in the app may have another inline message; one element is enough to say so.
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
