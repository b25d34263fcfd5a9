/// Whether events are recorded, and whether the client is suspended (REG-36).
public struct PrivacyRules: Hashable, Sendable, Codable {
    /// Why the client is suspended: it neither records nor sends.
    public enum Rest: String, Hashable, Sendable, Codable {
        /// The app wiped the device; the next start ends it.
        case wiped
        /// The server erased the person; only a start with `afterErasure` ends it.
        case erased
    }

    /// Whether the person allows that events are recorded.
    public private(set) var isTracking = true
    public private(set) var rest: Rest?

    public init() {}

    /// Replaces a value that cannot be read: the person may have switched tracking off, so it counts as off.
    public static let unreadable: PrivacyRules = {
        var rules = PrivacyRules()
        rules.setTracking(false)
        return rules
    }()

    /// Whether events are recorded.
    public var takesEvents: Bool {
        isTracking && rest == nil
    }

    /// The person's choice; it lasts until they change it.
    public mutating func setTracking(_ isTracking: Bool) {
        self.isTracking = isTracking
    }

    /// Removes everything else. The choice about tracking stays, because a wipe must not switch tracking on. An erased
    /// device stays erased.
    public mutating func wiped(_ reason: Rest) {
        rest = rest == .erased ? .erased : reason
    }

    /// - Parameter afterErasure: the app wants to start although the person was erased.
    /// - Returns: whether a suspension ended.
    public mutating func started(afterErasure: Bool) -> Bool {
        guard let rest, rest == .wiped || afterErasure else { return false }
        self.rest = nil
        return true
    }
}
