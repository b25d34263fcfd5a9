import BelfryModel

/// Why a push service rejects a token, from the service's own reason word. `Docs/Feedback.md` has the consequences. A
/// word that may also be about the message is not included.
package enum RejectedToken: Hashable, Sendable, CaseIterable {
    /// The token was valid once and is no longer.
    case gone
    /// The token was never valid, or belongs to the other environment: APNs responds the same to both.
    case malformed
    /// The token belongs to another app, project or key pair.
    case ofAnother

    package init?(_ reason: DeliveryReason) {
        switch reason.rawValue {
        // A browser's push service responds with a status only.
        case "Unregistered", "ExpiredToken", "UNREGISTERED", "status404", "status410": self = .gone
        case "BadDeviceToken", "MissingDeviceToken", "BadPath": self = .malformed
        case "DeviceTokenNotForTopic", "BadTopic", "MissingTopic", "TopicDisallowed", "SENDER_ID_MISMATCH", "NOT_FOUND",
            "vapidKeyMismatch":
            self = .ofAnother
        default: return nil
        }
    }

    /// The meaning of the word, as a sentence that follows it.
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
