import BelfryModel
import BelfryRules

/// Something that a step causes outside the device's state. It is performed once the step is stored.
enum Effect: Sendable {
    /// The sync loop looks at what comes next.
    case wake
    case report(ClientReport)
    /// Somebody who waits for a call gets its outcome.
    case answer(Int, AwaitedCall.Outcome)

    // MARK: Message center

    /// What was fetched and not handed out yet is for somebody who has left (MC-12).
    case purgeCenterFeed
    case tellCenters(CenterNews)

    // MARK: In-app messages

    /// The in-app loop looks at what comes next.
    case wakeInApp
    /// Tracked events that wait to be judged are a former person's.
    case forgetTriggers
    /// Messages wait for events of these names.
    case awaitEvents(Set<String>)
    /// What was told and not handed out yet is about somebody who has left (IAM-11).
    case purgeInAppFeed
    case tellInApp(InAppDecisionReport)
    /// The message with this number sets out for the screen.
    case showInApp(Int)
    case inAppShown(InAppMessage)
    /// The message is let go of; its page goes, too. Those who asked for it hear the reason.
    case endShowing(InAppShowing, InAppReason, InAppDismissal)
    /// Those who asked for a message hear why it is not shown; nil is the good news.
    case answerAskers([InAppShowing.Asker], InAppReason?)
    case runAction(InAppAction, of: InAppMessage, buttonID: String?)
    /// Places in the app's own views may have another message.
    case offerInlines
    /// These tickets of inline messages are over.
    case endInlines(Set<Int>)
}
