import BelfryModel
import BelfryServerModel
import BelfryServices

/// Sentences that say why devices did not get a campaign (CON-7).
enum LossWords {
    static func sentence(_ outcome: DeliveryOutcome) -> String {
        switch outcome.state {
        case .pending: "They are waiting for their turn, their time or another try."
        case .accepted: "The push service accepted the message."
        case .suppressed: suppressed(outcome.reason)
        case .rejected: rejected(outcome.reason)
        case .cancelled: "The campaign was cancelled before it was their turn."
        }
    }

    private static func suppressed(_ reason: DeliveryReason?) -> String {
        switch reason {
        case .noToken: "They have no push token: the app was never allowed to show notifications."
        case .noContact: "They have no contact, and such a message belongs to a contact."
        case .noCredentials: "The app has no credentials for their push service. Add them in the settings."
        case .expired: "The message had expired before it could be sent."
        case .renderError: "Its text cannot be rendered for them: a value is missing. Give it a default."
        case .quietHours: "It was due in their quiet hours."
        case .frequencyCap: "They had as many messages as the campaign allows."
        case .silentBudget: "They had as many silent pushes as reach them in an hour."
        case .browser: "They are browsers, which end subscriptions whose pushes show nothing."
        case .duplicateToken: "Another device has since registered the same push token."
        case .recalled: "The messages were recalled before these were placed."
        case .erased: "The people were erased."
        case .optedOut(.user): "They switched push off in the app."
        case .optedOut(.osSetting): "They switched notifications off in the system's settings."
        case .optedOut(.tokenInvalid): "The push service said that their token is no longer valid: the app was removed."
        case .optedOut(.tokenMalformed): "The push service said that their token is malformed."
        case .optedOut(.providerAuthentication):
            "The push service had rejected the app's credentials. Check them in the settings."
        case let other?: "The reason is '\(other.rawValue.isolated)'."
        case nil: "No reason is recorded."
        }
    }

    private static func rejected(_ reason: DeliveryReason?) -> String {
        switch reason {
        case .noAnswer: "The push service did not respond in time."
        case .expired: "The push service asked to wait until the message had expired."
        case .payloadTooLarge: "The message is larger than their push service accepts. Make it shorter."
        case .malformedToken: "Their push token is not valid for its push service."
        case .contentNotEncodable: "The content cannot be encoded for their push service."
        case DeliveryReason(rawValue: "quarantined"):
            "Their batch failed each time it was tried, and an operator dropped it."
        case let word?:
            ["The push service rejected it: '\(word.rawValue.isolated)'.", RejectedToken(word)?.sentence]
                .compactMap(\.self).joined(separator: " ")
        case nil: "The push service rejected it without a reason."
        }
    }
}
