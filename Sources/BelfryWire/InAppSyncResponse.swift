import BelfryModel

/// `GET /client/in-app-messages?since=CURSOR` (WIRE-9): what has changed since the cursor was given.
public struct InAppSyncResponse: Hashable, Sendable, Codable {
    /// Opaque, and safe in a URL; it records what the device has once it has applied this response.
    public var cursor: String
    /// New messages, and new versions of those that the device has.
    public var messages: [InAppMessageBody]
    /// The ids of messages that the device must remove.
    public var recalled: [String]

    public init(cursor: String, messages: [InAppMessageBody] = [], recalled: [String] = []) {
        self.cursor = cursor
        self.messages = messages
        self.recalled = recalled
    }

    private enum CodingKeys: String, CodingKey {
        case cursor, messages, recalled
    }

    /// An unreadable message, for example of a newer type, is left out and does not affect the others.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            cursor: try container.decode(String.self, forKey: .cursor),
            messages: try container.decode([ReadableMessage].self, forKey: .messages).compactMap(\.message),
            recalled: try container.decode([String].self, forKey: .recalled)
        )
    }
}

/// A message, or nil if it cannot be read.
private struct ReadableMessage: Decodable {
    let message: InAppMessageBody?

    init(from decoder: any Decoder) throws {
        message = try? InAppMessageBody(from: decoder)
    }
}
