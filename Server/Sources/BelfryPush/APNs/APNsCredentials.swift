import BelfryModel
import Crypto

/// An app's credentials for APNs: the signing key, and the endpoints.
package struct APNsCredentials: Sendable {
    /// The maximum length of a topic (the app's bundle id) in bytes.
    package static let maximumTopicLength = 255
    /// The exact length of a team id and of a key id, in characters.
    package static let idLength = 10

    package let teamID: String
    package let keyID: String
    package let topic: String
    package let privateKey: P256.Signing.PrivateKey
    package let productionEndpoint: PushEndpoint
    package let sandboxEndpoint: PushEndpoint
    /// PEM certificates to trust instead of the system's; empty: the system's are trusted.
    package let trustRoots: [String]

    /// The error names the field as the admin API does: `teamId`, `keyId`, `topic`, `privateKey`, `endpoint`,
    /// `sandboxEndpoint`, `trustRoots`.
    package init(
        teamID: String,
        keyID: String,
        topic: String,
        privateKey: String,
        endpoint: String? = nil,
        sandboxEndpoint: String? = nil,
        trustRoots: String? = nil
    ) throws(FieldError) {
        self.teamID = try FieldError.naming("teamId") { () throws(ValueError) in try Self.parseID(teamID) }
        self.keyID = try FieldError.naming("keyId") { () throws(ValueError) in try Self.parseID(keyID) }
        self.topic = try FieldError.naming("topic") { () throws(ValueError) in try Self.parseTopic(topic) }
        self.privateKey = try FieldError.naming("privateKey") { () throws(ValueError) in
            try APNsPrivateKey.parse(privateKey)
        }
        productionEndpoint = try FieldError.naming("endpoint") { () throws(ValueError) in
            if let endpoint { try PushEndpoint(endpoint) } else { .apnsProduction }
        }
        self.sandboxEndpoint = try FieldError.naming("sandboxEndpoint") { () throws(ValueError) in
            if let sandboxEndpoint { try PushEndpoint(sandboxEndpoint) } else { .apnsSandbox }
        }
        self.trustRoots = try FieldError.naming("trustRoots") { () throws(ValueError) in
            if let trustRoots { try TrustRoots.parse(trustRoots) } else { [] }
        }
    }

    package func endpoint(for environment: PushEnvironment) -> PushEndpoint {
        switch environment {
        case .production: productionEndpoint
        case .sandbox: sandboxEndpoint
        }
    }

    static func parseID(_ raw: String) throws(ValueError) -> String {
        guard raw.utf8.count == idLength, raw.utf8.allSatisfy({ $0.isASCIIUppercase || $0.isASCIIDigit }) else {
            throw ValueError(
                code: "invalidId",
                message: "It has exactly \(idLength) characters of A–Z and 0–9, as on Apple's developer site."
            )
        }
        return raw
    }

    static func parseTopic(_ raw: String) throws(ValueError) -> String {
        let isAllowed: (UInt8) -> Bool = { $0.isASCIIAlphanumeric || [0x2d, 0x2e, 0x5f].contains($0) }
        guard (1...maximumTopicLength).contains(raw.utf8.count), raw.utf8.allSatisfy(isAllowed) else {
            throw ValueError(
                code: "invalidTopic",
                message: "A topic is the app's bundle id: 1 to \(maximumTopicLength) letters, digits, '.', '-' or '_'."
            )
        }
        return raw
    }
}

extension APNsCredentials: CustomStringConvertible {
    /// A description without the key, so that no log can contain it.
    package var description: String { "APNs credentials of \(topic), key \(keyID)" }
}

extension APNsCredentials {
    /// The errors of all invalid fields. The initializer only throws the first.
    package static func errors(
        teamID: String, keyID: String, topic: String, privateKey: String, endpoint: String? = nil,
        sandboxEndpoint: String? = nil, trustRoots: String? = nil
    ) -> [FieldError] {
        [
            FieldError.check("teamId") { () throws(ValueError) in _ = try parseID(teamID) },
            FieldError.check("keyId") { () throws(ValueError) in _ = try parseID(keyID) },
            FieldError.check("topic") { () throws(ValueError) in _ = try parseTopic(topic) },
            FieldError.check("privateKey") { () throws(ValueError) in _ = try APNsPrivateKey.parse(privateKey) },
            FieldError.check("endpoint") { () throws(ValueError) in if let endpoint { _ = try PushEndpoint(endpoint) }
            },
            FieldError.check("sandboxEndpoint") { () throws(ValueError) in
                if let sandboxEndpoint { _ = try PushEndpoint(sandboxEndpoint) }
            },
            FieldError.check("trustRoots") { () throws(ValueError) in
                if let trustRoots { _ = try TrustRoots.parse(trustRoots) }
            },
        ].compactMap { $0 }
    }

    /// Whether the push tokens of these credentials are valid with the others too: topic, key and endpoints are the
    /// same. A key may be restricted to some topics, or to one environment.
    package func reachesTheSameDevices(as other: APNsCredentials) -> Bool {
        topic == other.topic && teamID == other.teamID && keyID == other.keyID
            && productionEndpoint == other.productionEndpoint && sandboxEndpoint == other.sandboxEndpoint
    }
}
