/// Whose the events in the queue are, and what becomes of each (ID-7).
public struct EventOwners: Hashable, Sendable {
    /// What becomes of an event.
    public enum Fate: Hashable, Sendable {
        /// It may be sent. Without a reference it is that of the contact whom the token names.
        case leaves(reference: String?)
        /// Its contact is still to be named (REG-12).
        case waits
        /// Nobody knows any more for whom it was tracked. It is set aside rather than sent as somebody else's.
        case strays
    }

    /// Why a stray is set aside.
    public static let strayReason = "contactUnknown"

    private let references: [Int: String]
    private let present: Int
    private let holdsPresent: Bool

    public init(references: [Int: String], present: Int, holdsPresent: Bool = false) {
        self.references = references
        self.present = present
        self.holdsPresent = holdsPresent
    }

    /// - Parameter owner: the number of the contact for whom the event was tracked.
    public func fate(of owner: Int) -> Fate {
        if owner == present, holdsPresent { return .waits }
        if let reference = references[owner] { return .leaves(reference: reference) }
        return owner == present ? .leaves(reference: nil) : .strays
    }
}
