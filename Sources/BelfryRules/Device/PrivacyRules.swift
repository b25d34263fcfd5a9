/// Whether anything is recorded, and whether the device rests (REG-36).
public struct PrivacyRules: Hashable, Sendable, Codable {
    /// Why the device neither records nor sends.
    public enum Rest: String, Hashable, Sendable, Codable {
        /// The app had everything wiped; the next start ends it.
        case wiped
        /// The server erased the person; only a start that the app asks for by hand ends it.
        case erased
    }

    /// The person allows that events are recorded.
    public private(set) var isTracking = true
    public private(set) var rest: Rest?

    public init() {}

    /// Stands for a value that cannot be read: nobody can tell whether the person said no, so it counts as a no.
    public static let unreadable: PrivacyRules = {
        var rules = PrivacyRules()
        rules.setTracking(false)
        return rules
    }()

    /// Events are recorded.
    public var takesEvents: Bool {
        isTracking && rest == nil
    }

    /// The person's choice; it lasts until they change it.
    public mutating func setTracking(_ isTracking: Bool) {
        self.isTracking = isTracking
    }

    /// Everything else is forgotten. The person's choice about tracking stays: a wipe must not turn a no into a yes. An
    /// erased device stays one.
    public mutating func wiped(_ reason: Rest) {
        rest = rest == .erased ? .erased : reason
    }

    /// - Parameter afterErasure: the app means it although the person was erased.
    /// - Returns: whether a rest ended.
    public mutating func started(afterErasure: Bool) -> Bool {
        guard let rest, rest == .wiped || afterErasure else { return false }
        self.rest = nil
        return true
    }
}
