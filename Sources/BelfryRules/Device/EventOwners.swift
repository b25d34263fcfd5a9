/// The contacts of the queued events, and the decision about each event (ID-7).
public struct EventOwners: Hashable, Sendable {
    /// The decision about an event.
    public enum Resolution: Hashable, Sendable {
        /// It may be sent. Without a reference it belongs to the contact that the token names.
        case leaves(reference: String?)
        /// Its contact key must be set first (REG-12).
        case waits
        /// Its contact is no longer known. It becomes a dead letter instead of being sent as another contact's.
        case orphaned
    }

    /// The reason of a dead letter whose contact is unknown.
    public static let orphanReason = "contactUnknown"

    private let references: [Int: String]
    private let present: Int
    private let holdsPresent: Bool

    public init(references: [Int: String], present: Int, holdsPresent: Bool = false) {
        self.references = references
        self.present = present
        self.holdsPresent = holdsPresent
    }

    /// - Parameter owner: the number of the contact for whom the event was tracked.
    public func resolution(of owner: Int) -> Resolution {
        if owner == present, holdsPresent { return .waits }
        if let reference = references[owner] { return .leaves(reference: reference) }
        return owner == present ? .leaves(reference: nil) : .orphaned
    }
}
