/// A contact's state of a message center message, in ascending order (MC-14).
public enum MessageState: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    case unread
    case read
    case deleted

    /// The higher of two devices' states. The result does not depend on the order in which they arrive.
    public func joined(_ other: MessageState) -> MessageState { max(self, other) }

    public static func < (left: MessageState, right: MessageState) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .unread: 0
        case .read: 1
        case .deleted: 2
        }
    }
}
