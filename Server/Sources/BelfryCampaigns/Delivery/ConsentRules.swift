import BelfryModel
import Foundation

/// Computes the opt-out that a device has after a registration (REG-22, REG-31, REG-34).
package enum ConsentRules {
    /// The device's new values, and the previous ones on the server.
    package struct Change: Hashable, Sendable {
        package var current: OptOut?
        package var wasEnabled: Bool
        package var pushEnabled: Bool?
        package var osPushEnabled: Bool?

        package init(current: OptOut?, wasEnabled: Bool, pushEnabled: Bool?, osPushEnabled: Bool?) {
            self.current = current
            self.wasEnabled = wasEnabled
            self.pushEnabled = pushEnabled
            self.osPushEnabled = osPushEnabled
        }
    }

    /// The opt-out after the change. The app's switch comes before the system's permission, and both before the reason
    /// of a push service. An opt-in ends a push service's opt-out for the token. Only an operator can end one for
    /// `providerAuthentication`.
    package static func optOut(after change: Change, now: Date) -> OptOut? {
        if change.pushEnabled == false { return kept(.user, change, now) }
        if change.osPushEnabled == false { return kept(.osSetting, change, now) }
        guard let current = change.current, ![.user, .osSetting].contains(current.reason) else { return nil }
        if !change.wasEnabled, current.isLifted(by: .deviceOptIn) { return nil }
        return current
    }

    /// An opt-out with the same reason keeps its time.
    private static func kept(_ reason: OptOutReason, _ change: Change, _ now: Date) -> OptOut {
        if let current = change.current, current.reason == reason { return current }
        return OptOut(reason: reason, at: now)
    }
}

/// A change on the device that may end an opt-out. An operator's `PUT` of credentials ends others (REG-33, REG-35).
package enum ConsentChange: Hashable, Sendable {
    /// The device registered a valid token other than the one it had.
    case newToken
    /// The device's own setting (the app's switch or the system's permission) was turned on.
    case deviceOptIn
}

extension OptOut {
    /// Whether the change ends the opt-out (REG-34). Only the device can undo a person's decision.
    package func isLifted(by change: ConsentChange) -> Bool {
        switch (reason, change) {
        case (_, .deviceOptIn): reason != .providerAuthentication
        case (.tokenInvalid, .newToken), (.tokenMalformed, .newToken): true
        default: false
        }
    }
}
