import BelfryModel
import Foundation

/// What a device does that may end an opt-out. An operator's `PUT` of credentials ends others (REG-33, REG-35).
public enum ConsentChange: Hashable, Sendable {
    /// The device registered a valid token other than the one it had.
    case newToken
    /// The device's own answer (the app's switch or the system's) turned from no to yes.
    case deviceOptIn
}

extension OptOut {
    /// Whether the change ends the opt-out (REG-34). What a person decided only the device takes back.
    public func isLifted(by change: ConsentChange) -> Bool {
        switch (reason, change) {
        case (_, .deviceOptIn): reason != .providerAuthentication
        case (.tokenInvalid, .newToken), (.tokenMalformed, .newToken): true
        default: false
        }
    }
}
