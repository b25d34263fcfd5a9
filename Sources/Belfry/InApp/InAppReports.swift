import BelfryModel
import BelfryRules
import Foundation

/// A decision of the SDK about a message, with its reason (IAM-6, IAM-8).
///
/// ```swift
/// for await decision in client.inAppDecisions { print(decision) }   // 7 was not shown: another message was shown …
/// ```
public struct InAppDecisionReport: Hashable, Sendable {
    /// The result of the decision.
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

    /// The id of the message, as ``InAppMessage/id``.
    public let messageID: String
    /// The campaign on the server.
    public let campaignID: String
    /// The ``InAppMessage/version`` that the decision is about.
    public let version: Int
    /// The time, by the device's clock.
    public let at: Date
    /// The result of the decision.
    public let outcome: Outcome
    /// The reason; nil if the message was shown.
    public let reason: InAppReason?

    /// Creates a report; the SDK creates those of its decisions.
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

/// An action of a message: the person pressed something, or a message of type `action` ran (IAM-9).
public struct InAppActionReport: Hashable, Sendable {
    /// The message of the action.
    public let message: InAppMessage
    /// The action.
    public let action: InAppAction
    /// The button's id; nil for the image, the banner itself, or a message of type `action`.
    public let buttonID: String?

    /// Creates a report; the SDK creates those of its messages.
    public init(message: InAppMessage, action: InAppAction, buttonID: String? = nil) {
        self.message = message
        self.action = action
        self.buttonID = buttonID
    }
}

/// How a message left the screen (IAM-9).
public enum InAppDismissal: String, Hashable, Sendable, Codable, CaseIterable {
    /// A button or a link was pressed.
    case button
    /// It was closed: with its close button, the Escape key, or a touch outside of it.
    case close
    /// A banner was swiped away.
    case swipe
    /// The SDK removed it: it was recalled, the person changed, or its window was closed.
    case replaced
}
