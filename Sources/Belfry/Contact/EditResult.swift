import BelfryModel

/// The result of a setter: accepted, or refused with the reason (REG-8).
public enum EditResult: Hashable, Sendable {
    /// Accepted; a change is sent to the server within a minute.
    case accepted
    /// Nothing changed. The error says what was wrong and what is allowed.
    case refused(ValueError)

    /// Whether the value was accepted.
    public var isAccepted: Bool { self == .accepted }

    /// Why the value was refused; nil if it was accepted.
    public var error: ValueError? {
        guard case .refused(let error) = self else { return nil }
        return error
    }
}
