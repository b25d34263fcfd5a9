/// `GET …/contacts`, newest first.
public struct ContactListAnswer: Hashable, Sendable, Codable {
    public struct Entry: Hashable, Sendable, Codable {
        public var contactKey: String
        /// Whether the app named it; else the key is the server's own.
        public var known: Bool
        public var createdAt: String
        public var lastOpenedAt: String?

        public init(contactKey: String, known: Bool, createdAt: String, lastOpenedAt: String? = nil) {
            self.contactKey = contactKey
            self.known = known
            self.createdAt = createdAt
            self.lastOpenedAt = lastOpenedAt
        }
    }

    public var contacts: [Entry]
    public var cursor: String?

    public init(contacts: [Entry], cursor: String? = nil) {
        self.contacts = contacts
        self.cursor = cursor
    }
}

/// The answer to `POST …/contacts/{contactKey}/erase`: how many devices and events are gone (REG-36).
public struct ContactErasureAnswer: Hashable, Sendable, Codable {
    public var contactKey: String
    public var devices: Int
    public var events: Int

    public init(contactKey: String, devices: Int, events: Int) {
        self.contactKey = contactKey
        self.devices = devices
        self.events = events
    }
}
