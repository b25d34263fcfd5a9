import BelfryModel
import Crypto

/// What Belfry needs to send through APNs for one app: the key that signs, and where to send.
package struct APNsCredentials: Sendable {
    /// Bytes of a topic (the app's bundle id).
    package static let maximumTopicLength = 255
    /// Characters of a team id and of a key id, exactly.
    package static let idLength = 10

    package let teamID: String
    package let keyID: String
    package let topic: String
    package let privateKey: P256.Signing.PrivateKey
    package let productionEndpoint: PushEndpoint
    package let sandboxEndpoint: PushEndpoint
    /// PEM certificates to trust instead of the system's; empty: the system's.
    package let trustRoots: [String]

    /// The fields are named in refusals as the admin API names them: `teamId`, `keyId`, `topic`, `privateKey`,
    /// `endpoint`, `sandboxEndpoint`, `trustRoots`.
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
    /// Without the key, whatever a log does with it.
    package var description: String { "APNs credentials of \(topic), key \(keyID)" }
}

extension APNsCredentials {
    /// The refusal of every field that is wrong, where the initialiser tells the first alone.
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

    /// Whether a token that is good for these is good for the others: topic, key and endpoints are the same. A key may
    /// be restricted to some topics, or to one environment.
    package func reachesTheSameDevices(as other: APNsCredentials) -> Bool {
        topic == other.topic && teamID == other.teamID && keyID == other.keyID
            && productionEndpoint == other.productionEndpoint && sandboxEndpoint == other.sandboxEndpoint
    }
}
