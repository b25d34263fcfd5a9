/// `POST /client/contact` (WIRE-2). The anonymous form (WIRE-3) has no body.
public struct ContactLinkRequest: Hashable, Sendable, Codable {
    /// Names the field that holds the value, as a number (v3) or a word.
    public var contactFieldId: FieldID?
    public var contactFieldValue: String?
    public var openIdToken: String?

    public init(contactFieldId: FieldID? = nil, contactFieldValue: String? = nil, openIdToken: String? = nil) {
        self.contactFieldId = contactFieldId
        self.contactFieldValue = contactFieldValue
        self.openIdToken = openIdToken
    }

    /// A contact field: `3` and `"3"` are the same field.
    public struct FieldID: Hashable, Sendable, Codable, ExpressibleByStringLiteral {
        public let rawValue: String

        public init(_ rawValue: String) {
            self.rawValue = rawValue
        }

        public init(stringLiteral value: String) {
            rawValue = value
        }

        public init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                rawValue = String(number)
            } else {
                rawValue = try container.decode(String.self)
            }
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(rawValue)
        }
    }
}

/// The answer to a link: a token pair and the opaque reference of the contact (WIRE-2, ID-7).
public struct ContactLinkAnswer: Hashable, Sendable, Codable {
    public var contactToken: String
    public var refreshToken: String
    public var contactReference: String

    public init(contactToken: String, refreshToken: String, contactReference: String) {
        self.contactToken = contactToken
        self.refreshToken = refreshToken
        self.contactReference = contactReference
    }
}

/// `POST /client/contact-token` (WIRE-4).
public struct ContactTokenRequest: Hashable, Sendable, Codable {
    public var refreshToken: String

    public init(refreshToken: String) {
        self.refreshToken = refreshToken
    }
}

public struct ContactTokenAnswer: Hashable, Sendable, Codable {
    public var contactToken: String

    public init(contactToken: String) {
        self.contactToken = contactToken
    }
}
