/// What the app may listen to. Each listener is on its own, and hears what is sent from then on.
struct Feeds: Sendable {
    let centerUpdates = Broadcast<MessageCenterUpdate>(maximumWaiting: 100)
    /// They are large.
    let centerResponses = Broadcast<MessageCenterResponse>(maximumWaiting: 4)
    let inAppDecisions = Broadcast<InAppDecisionReport>(maximumWaiting: 100)
    let inAppActions = Broadcast<InAppActionReport>(maximumWaiting: 100)
    /// There may be another inline message for a place in the app; one word says all.
    let inlineOffers = Broadcast<Void>(maximumWaiting: 1)
    /// The tickets of inline messages that are over.
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
