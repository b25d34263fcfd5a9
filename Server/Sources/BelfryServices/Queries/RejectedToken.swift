import BelfryModel

/// What is wrong with a token that a push service does not take, by the service's own word; `Docs/Feedback.md` has what
/// follows. A word that may also be about the message is not among them.
package enum RejectedToken: Hashable, Sendable, CaseIterable {
    /// It was one, and is no longer.
    case gone
    /// It never was one, or is one of the other environment: APNs says the same of both.
    case malformed
    /// It is one of another app, project or key pair.
    case ofAnother

    package init?(_ reason: DeliveryReason) {
        switch reason.rawValue {
        // A browser's push service answers with a status alone.
        case "Unregistered", "ExpiredToken", "UNREGISTERED", "status404", "status410": self = .gone
        case "BadDeviceToken", "MissingDeviceToken", "BadPath": self = .malformed
        case "DeviceTokenNotForTopic", "BadTopic", "MissingTopic", "TopicDisallowed", "SENDER_ID_MISMATCH", "NOT_FOUND",
            "vapidKeyMismatch":
            self = .ofAnother
        default: return nil
        }
    }

    /// What the word means, as a sentence that follows it.
    package var sentence: String {
        switch self {
        case .gone:
            "This means that the push token is no longer registered: as a rule the app was removed, or the browser's "
                + "subscription has ended."
        case .malformed:
            "This means that the push token is malformed, or belongs to the push service's other environment (sandbox "
                + "or production)."
        case .ofAnother:
            "This means that the push token belongs to another app, project or key pair than the app's credentials."
        }
    }
}
