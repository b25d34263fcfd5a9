import BelfryModel
import Foundation

/// Which opt-out a device has after it spoke (REG-22, REG-31, REG-34).
public enum ConsentRules {
    /// What the device said and what the server had.
    public struct Change: Hashable, Sendable {
        public var current: OptOut?
        public var wasEnabled: Bool
        public var pushEnabled: Bool?
        public var osPushEnabled: Bool?

        public init(current: OptOut?, wasEnabled: Bool, pushEnabled: Bool?, osPushEnabled: Bool?) {
            self.current = current
            self.wasEnabled = wasEnabled
            self.pushEnabled = pushEnabled
            self.osPushEnabled = osPushEnabled
        }
    }

    /// The app's switch comes before the system's, and both before what a push service said. An opt-in
    /// lifts what a push service said of the token; provider-authentication is the operator's to lift.
    public static func optOut(after change: Change, now: Date) -> OptOut? {
        if change.pushEnabled == false { return kept(.user, change, now) }
        if change.osPushEnabled == false { return kept(.osSetting, change, now) }
        guard let current = change.current, ![.user, .osSetting].contains(current.reason) else { return nil }
        if !change.wasEnabled, current.isLifted(by: .deviceOptIn) { return nil }
        return current
    }

    /// An opt-out that stays keeps its time.
    private static func kept(_ reason: OptOutReason, _ change: Change, _ now: Date) -> OptOut {
        if let current = change.current, current.reason == reason { return current }
        return OptOut(reason: reason, at: now)
    }
}
