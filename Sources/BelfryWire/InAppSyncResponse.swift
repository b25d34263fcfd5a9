import BelfryModel

/// `GET /client/in-app-messages?since=CURSOR` (WIRE-9): what has changed since the cursor was given.
public struct InAppSyncResponse: Hashable, Sendable, Codable {
    /// Opaque, and safe in a URL; it records what the device has once it has applied this response.
    public var cursor: String
    /// New messages, and new versions of those that the device has.
    public var messages: [InAppMessageBody]
    /// The ids of messages that the device must remove.
    public var recalled: [String]
    /// The newest registration that was processed (REG-25); absent: none, or nothing has changed since the cursor.
    public var registration: RegistrationResult?
    /// True: another device has registered the push token that the server had of this one, which therefore sends its
    /// token again (REG-27). Absent: false.
    public var pushTokenNeeded: Bool?

    public init(
        cursor: String, messages: [InAppMessageBody] = [], recalled: [String] = [],
        registration: RegistrationResult? = nil, pushTokenNeeded: Bool? = nil
    ) {
        self.cursor = cursor
        self.messages = messages
        self.recalled = recalled
        self.registration = registration
        self.pushTokenNeeded = pushTokenNeeded
    }

    private enum CodingKeys: String, CodingKey {
        case cursor, messages, recalled, registration, pushTokenNeeded
    }

    /// An unreadable message, for example of a newer type, is left out and does not affect the others.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            cursor: try container.decode(String.self, forKey: .cursor),
            messages: try container.decode([ReadableMessage].self, forKey: .messages).compactMap(\.message),
            recalled: try container.decode([String].self, forKey: .recalled),
            registration: try container.decodeIfPresent(RegistrationResult.self, forKey: .registration),
            pushTokenNeeded: try container.decodeIfPresent(Bool.self, forKey: .pushTokenNeeded)
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
