import BelfryModel
import BelfryServices
import BelfryWire

/// `PUT …/credentials/apns` (ADM-2).
package struct APNsCredentialsRequest: Hashable, Sendable, Codable {
    package var teamId: String
    package var keyId: String
    package var topic: String
    /// The content of the .p8 file, in PEM format.
    package var privateKey: String
    package var endpoint: String?
    package var sandboxEndpoint: String?
    /// PEM certificates.
    package var trustRoots: String?

    package init(
        teamId: String,
        keyId: String,
        topic: String,
        privateKey: String,
        endpoint: String? = nil,
        sandboxEndpoint: String? = nil,
        trustRoots: String? = nil
    ) {
        self.teamId = teamId
        self.keyId = keyId
        self.topic = topic
        self.privateKey = privateKey
        self.endpoint = endpoint
        self.sandboxEndpoint = sandboxEndpoint
        self.trustRoots = trustRoots
    }
}

extension APNsCredentialsRequest: Described {
    static let schema: JSONSchema = .object(
        [
            "teamId": .string(CredentialLimits.apnsIDs, pattern: "^[A-Z0-9]+$", example: "TEAM123456"),
            "keyId": .string(CredentialLimits.apnsIDs, pattern: "^[A-Z0-9]+$", example: "KEY1234567"),
            "topic": .string(CredentialLimits.apnsTopics, pattern: "^[A-Za-z0-9._-]+$", example: "com.example.shop")
                .described("The app's bundle identifier."),
            "privateKey": .string().described("The .p8 file as PEM; it is never returned."),
        ],
        optional: [
            "endpoint": .string(CredentialLimits.endpoints, format: "uri").described(
                "An https base URL; default: Apple's production service."),
            "sandboxEndpoint": .string(CredentialLimits.endpoints, format: "uri").described(
                "Default: Apple's sandbox."),
            "trustRoots": .trustRoots,
        ],
        isClosed: true
    )
}

/// `PUT …/credentials/fcm` (ADM-2).
package struct FCMCredentialsRequest: Hashable, Sendable, Codable {
    /// The file that Google issues for a service account, as JSON text. In a request it may also be the JSON object
    /// itself.
    package var serviceAccount: String
    package var endpoint: String?
    /// PEM certificates.
    package var trustRoots: String?

    package init(serviceAccount: String, endpoint: String? = nil, trustRoots: String? = nil) {
        self.serviceAccount = serviceAccount
        self.endpoint = endpoint
        self.trustRoots = trustRoots
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let text = try? container.decode(String.self, forKey: .serviceAccount) {
            serviceAccount = text
        } else {
            serviceAccount = try container.decode(JSONObjectText.self, forKey: .serviceAccount).text
        }
        endpoint = try container.decodeIfPresent(String.self, forKey: .endpoint)
        trustRoots = try container.decodeIfPresent(String.self, forKey: .trustRoots)
    }
}

extension FCMCredentialsRequest: Described {
    static let schema: JSONSchema = .object(
        [
            "serviceAccount": .one(of: [
                .anyObject.described("The JSON file of a service account, as Google provides it."),
                .string().described("The file's text."),
            ])
            .described("Its `token_uri` is used; its key is never returned.")
        ],
        optional: [
            "endpoint": .string(CredentialLimits.endpoints, format: "uri").described(
                "An https base URL; default: Google's service."),
            "trustRoots": .trustRoots,
        ],
        isClosed: true
    )
}

/// `PUT …/credentials/webpush` (ADM-2).
package struct WebPushCredentialsRequest: Hashable, Sendable, Codable {
    /// A `mailto:` or `https:` address at which a push service can reach the sender.
    package var subject: String
    /// The private key of the VAPID pair.
    package var privateKey: String
    /// PEM certificates.
    package var trustRoots: String?

    package init(subject: String, privateKey: String, trustRoots: String? = nil) {
        self.subject = subject
        self.privateKey = privateKey
        self.trustRoots = trustRoots
    }
}

extension WebPushCredentialsRequest: Described {
    static let schema: JSONSchema = .object(
        [
            "subject": .string().described("The contact for push services: `mailto:` or `https:`."),
            "privateKey": .string()
                .described("The private key of the pair, as PEM or base64url; it is never returned."),
        ],
        optional: ["trustRoots": .trustRoots], isClosed: true
    )
}

/// The response to `PUT …/credentials/apns`: the credentials without secrets.
package struct APNsCredentialsResponse: Hashable, Sendable, Codable {
    package var teamId: String
    package var keyId: String
    package var topic: String
}

extension APNsCredentialsResponse: Described {
    static let facts: [String: JSONSchema] = ["teamId": .string(), "keyId": .string(), "topic": .string()]

    static let schema: JSONSchema = .object(facts).described("Without secrets.")
}

/// The response to `PUT …/credentials/fcm`.
package struct FCMCredentialsResponse: Hashable, Sendable, Codable {
    package var projectId: String
    package var clientEmail: String
}

extension FCMCredentialsResponse: Described {
    static let facts: [String: JSONSchema] = ["projectId": .string(), "clientEmail": .string()]

    static let schema: JSONSchema = .object(facts).described("Without secrets.")
}

/// The response to `PUT …/credentials/webpush`.
package struct WebPushCredentialsResponse: Hashable, Sendable, Codable {
    /// The `applicationServerKey` with which web pages subscribe, in base64url.
    package var publicKey: String
    package var subject: String
}

extension WebPushCredentialsResponse: Described {
    static let facts: [String: JSONSchema] = [
        "publicKey": .string().described("The `applicationServerKey` for web pages to subscribe with, as base64url."),
        "subject": .string(),
    ]

    static let schema: JSONSchema = .object(facts).described("Without secrets.")
}

/// `GET …/credentials`: the stored credentials without secrets.
package struct CredentialListResponse: Hashable, Sendable, Codable {
    /// The credentials of one push service: their public members, and when they were stored.
    package struct Entry<Facts: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
        /// Absent when the credentials cannot be decrypted with the server's current secret key.
        package var facts: Facts?
        package var updatedAt: String

        private enum Key: String, CodingKey { case updatedAt }

        package init(facts: Facts?, updatedAt: String) {
            self.facts = facts
            self.updatedAt = updatedAt
        }

        package init(from decoder: any Decoder) throws {
            facts = try? Facts(from: decoder)
            updatedAt = try decoder.container(keyedBy: Key.self).decode(String.self, forKey: .updatedAt)
        }

        package func encode(to encoder: any Encoder) throws {
            try facts?.encode(to: encoder)
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(updatedAt, forKey: .updatedAt)
        }
    }

    package var apns: Entry<APNsCredentialsResponse>?
    package var fcm: Entry<FCMCredentialsResponse>?
    package var webpush: Entry<WebPushCredentialsResponse>?
}

extension CredentialListResponse: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "apns": stored(APNsCredentialsResponse.facts), "fcm": stored(FCMCredentialsResponse.facts),
            "webpush": stored(WebPushCredentialsResponse.facts),
        ]
    )
    .described("Push services without credentials are absent.")

    private static func stored(_ facts: [String: JSONSchema]) -> JSONSchema {
        .object(["updatedAt": .of(Timestamp.self)], optional: facts)
            .described("Without details when the server's secret key has changed since they were stored.")
    }
}

/// `POST …/credentials/{provider}/check`: whether the push service accepts the credentials.
package struct CredentialCheckResponse: Hashable, Sendable, Codable {
    package enum Verdict: String, Hashable, Sendable, Codable, CaseIterable {
        case accepted, rejected, unknown, unreadable
    }

    package var verdict: Verdict
    package var reason: String?

    package init(_ verdict: CredentialCheckResult) {
        switch verdict {
        case .accepted: self.verdict = .accepted
        case .rejected(let reason): (self.verdict, self.reason) = (.rejected, reason)
        case .unknown(let reason): (self.verdict, self.reason) = (.unknown, reason)
        case .unreadable: self.verdict = .unreadable
        }
    }
}

extension CredentialCheckResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "verdict": .cases(of: Verdict.self).described(
                "`unknown`: the push service did not answer. `unreadable`: the server's secret key has changed.")
        ],
        optional: ["reason": .string().described("In the push service's word.")]
    )
}

extension JSONSchema {
    fileprivate static let trustRoots: JSONSchema = .string()
        .described("PEM certificates to trust instead of the system's.")
}
