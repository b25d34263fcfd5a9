import BelfryModel

/// `PUT /client/badge` (WIRE-12); the response is a ``BelfryModel/Badge``.
public struct BadgeRequest: Hashable, Sendable, Codable {
    /// 0 and more; above the app's maximum it becomes the maximum.
    public var count: Int
    /// The revision that the device knew when it set the badge. The same values a second time change nothing.
    public var revision: Int64?

    public init(count: Int, revision: Int64? = nil) {
        self.count = count
        self.revision = revision
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        count = try container.decodeSaturated(forKey: .count)
        revision = try container.decodeIfPresent(Int64.self, forKey: .revision)
    }
}

/// `PUT /client/messages/{id}/state` (WIRE-15).
public struct MessageStateRequest: Hashable, Sendable, Codable {
    /// The states that a device may send.
    public static let states: [MessageState] = [.read, .deleted]

    /// `read` or `deleted`: nothing becomes unread again (MC-14).
    public var state: MessageState
    /// The reference of the contact whose message it was at that time (ID-7); absent: the device's present contact.
    public var contact: String?

    public init(state: MessageState, contact: String? = nil) {
        self.state = state
        self.contact = contact
    }
}
