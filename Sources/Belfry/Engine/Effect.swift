import BelfryModel
import BelfryRules

/// Something that a step causes outside the device's state. It is performed once the step is stored.
enum Effect: Sendable {
    /// The sync loop checks what to do next.
    case wake
    case report(ClientReport)
    /// A waiting caller gets the outcome of its call.
    case finish(Int, AwaitedCall.Outcome)

    // MARK: Message center

    /// Removes updates that listeners have not received yet, because they are about a former person (MC-12).
    case purgeCenterFeed
    case tellCenters(MessageCenterNews)

    // MARK: In-app messages

    /// The in-app loop checks what to do next.
    case wakeInApp
    /// Tracked events are matched with the triggers of messages.
    case addTriggers([TriggerEvent])
    /// Removes tracked events that have not been matched with triggers yet, because they are a former person's.
    case forgetTriggers
    /// The names of the events that can trigger messages.
    case awaitEvents(Set<String>)
    /// Removes reports that listeners have not received yet, because they are about a former person (IAM-11).
    case purgeInAppFeed
    case tellInApp(InAppDecisionReport)
    /// Starts to show the message with this number.
    case showInApp(Int)
    case inAppShown(InAppMessage)
    /// Ends the message and removes its page. Callers that asked for it get the reason.
    case endPresentation(ActiveInAppPresentation, InAppReason, InAppDismissal)
    /// Callers that asked for a message get the reason why it is not shown; nil when it is shown.
    case finishAskers([ActiveInAppPresentation.Asker], InAppReason?)
    case runAction(InAppAction, of: InAppMessage, buttonID: String?)
    /// The app's views may get another inline message.
    case offerInlines
    /// The inline messages with these ids have ended.
    case endInlines(Set<Int>)
}
