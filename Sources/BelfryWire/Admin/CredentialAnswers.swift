/// The answer to `PUT …/credentials/apns`: what may be shown of them.
public struct APNsCredentialsAnswer: Hashable, Sendable, Codable {
    public var teamId: String
    public var keyId: String
    public var topic: String

    public init(teamId: String, keyId: String, topic: String) {
        self.teamId = teamId
        self.keyId = keyId
        self.topic = topic
    }
}

/// The answer to `PUT …/credentials/fcm`.
public struct FCMCredentialsAnswer: Hashable, Sendable, Codable {
    public var projectId: String
    public var clientEmail: String

    public init(projectId: String, clientEmail: String) {
        self.projectId = projectId
        self.clientEmail = clientEmail
    }
}

/// The answer to `PUT …/credentials/webpush`.
public struct WebPushCredentialsAnswer: Hashable, Sendable, Codable {
    /// The `applicationServerKey` with which web pages subscribe, as base64url.
    public var publicKey: String
    public var subject: String

    public init(publicKey: String, subject: String) {
        self.publicKey = publicKey
        self.subject = subject
    }
}

/// `GET …/credentials`: what is stored, without a secret.
public struct CredentialListAnswer: Hashable, Sendable, Codable {
    /// One push service's: the members of its facts, and when they were put.
    public struct Entry<Facts: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
        /// Absent when they cannot be opened with the server's secret key of today: put them again.
        public var facts: Facts?
        public var updatedAt: String

        private enum Key: String, CodingKey { case updatedAt }

        public init(facts: Facts?, updatedAt: String) {
            self.facts = facts
            self.updatedAt = updatedAt
        }

        public init(from decoder: any Decoder) throws {
            facts = try? Facts(from: decoder)
            updatedAt = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .updatedAt)
        }

        public func encode(to encoder: any Encoder) throws {
            try facts?.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(updatedAt, forKey: .updatedAt)
        }
    }

    public var apns: Entry<APNsCredentialsAnswer>?
    public var fcm: Entry<FCMCredentialsAnswer>?
    public var webpush: Entry<WebPushCredentialsAnswer>?

    public init(
        apns: Entry<APNsCredentialsAnswer>? = nil, fcm: Entry<FCMCredentialsAnswer>? = nil,
        webpush: Entry<WebPushCredentialsAnswer>? = nil
    ) {
        self.apns = apns
        self.fcm = fcm
        self.webpush = webpush
    }
}
