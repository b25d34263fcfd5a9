import BelfryModel
import BelfryRules
import Foundation

/// What the SDK decided about a message at one occasion, and why (IAM-6, IAM-8).
///
/// ```swift
/// for await decision in client.inAppDecisions { print(decision) }   // 7 was not shown: another message was shown …
/// ```
public struct InAppDecisionReport: Hashable, Sendable {
    /// What became of the occasion.
    public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
        /// It is on the screen.
        case shown
        /// It will be shown later, without another trigger.
        case waiting
        /// It is not shown for this occasion.
        case notShown
        /// It has left the device.
        case removed
    }

    /// The ``InAppMessage/id``.
    public let messageID: String
    /// The campaign on the server.
    public let campaignID: String
    /// The ``InAppMessage/version`` that was decided about.
    public let version: Int
    /// By the device's clock.
    public let at: Date
    /// What became of the occasion.
    public let outcome: Outcome
    /// Why; nil for one that was shown.
    public let reason: InAppReason?

    /// Takes what was decided.
    public init(
        messageID: String,
        campaignID: String,
        version: Int,
        at: Date,
        outcome: Outcome,
        reason: InAppReason? = nil
    ) {
        self.messageID = messageID
        self.campaignID = campaignID
        self.version = version
        self.at = at
        self.outcome = outcome
        self.reason = reason
    }
}

extension InAppDecisionReport: CustomStringConvertible {
    /// A sentence with the campaign, for a log.
    public var description: String {
        let words =
            switch outcome {
            case .shown: "was shown"
            case .waiting: "waits"
            case .notShown: "was not shown"
            case .removed: "left the device"
            }
        return "\(campaignID) \(words)" + (reason.map { ": \($0.description)" } ?? "")
    }
}

/// The person pressed something in a message, or a message without a screen did something (IAM-9).
public struct InAppActionReport: Hashable, Sendable {
    /// The message that it was in.
    public let message: InAppMessage
    /// What was to be done.
    public let action: InAppAction
    /// The button's id; nil for the picture, the banner itself, or a message of type `action`.
    public let buttonID: String?

    /// Takes what happened.
    public init(message: InAppMessage, action: InAppAction, buttonID: String? = nil) {
        self.message = message
        self.action = action
        self.buttonID = buttonID
    }
}

/// How a message left the screen (IAM-9).
public enum InAppDismissal: String, Hashable, Sendable, Codable, CaseIterable {
    /// A button with an action, or what leads somewhere, was pressed.
    case button
    /// It was closed: by its cross, the Escape key, or a touch beside it.
    case close
    /// A banner was swiped away.
    case swipe
    /// The SDK took it away: it was recalled, the person left, or its window went.
    case replaced
}
