import BelfryModel
import Foundation

/// What may end an opt-out.
public enum ConsentChange: Hashable, Sendable {
    /// The device registered a valid token other than the one it had.
    case newToken
    /// The device's own answer (the app's switch or the system's) turned from no to yes.
    case deviceOptIn
    /// An operator's `PUT` of credentials was accepted (REG-33).
    case credentialsAccepted
    /// The wrong topic or environment that paused a campaign was fixed (REG-35): by new credentials while a campaign
    /// is paused for it. `since` is when that campaign began to send.
    case topicFixed(since: Date)
}

extension OptOut {
    /// Whether the change ends the opt-out (REG-33 to REG-35). What a person decided only the device takes back.
    public func isLifted(by change: ConsentChange) -> Bool {
        switch (reason, change) {
        case (_, .deviceOptIn): reason != .providerAuthentication
        case (.tokenInvalid, .newToken), (.tokenMalformed, .newToken): true
        case (.tokenMalformed, .topicFixed(let since)): at >= since
        case (.providerAuthentication, .credentialsAccepted): true
        default: false
        }
    }
}
