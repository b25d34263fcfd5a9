/// What a contact has done with a message of a center, ordered by how far it goes (MC-14).
public enum MessageState: String, Hashable, Sendable, Codable, CaseIterable, Comparable {
    case unread
    case read
    case deleted

    /// Of two devices' words the one that goes further: in whatever order they come, the end is the same.
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
