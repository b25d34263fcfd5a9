/// `PUT …/credentials/apns` (ADM-2).
public struct APNsCredentialsRequest: Hashable, Sendable, Codable {
    public var teamId: String
    public var keyId: String
    public var topic: String
    /// The .p8 file as PEM.
    public var privateKey: String
    public var endpoint: String?
    public var sandboxEndpoint: String?
    /// PEM certificates.
    public var trustRoots: String?

    public init(
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

/// `PUT …/credentials/fcm` (ADM-2).
public struct FCMCredentialsRequest: Hashable, Sendable, Codable {
    /// The file that Google gives out for a service account, as JSON text. On the wire it may be the object itself.
    public var serviceAccount: String
    public var endpoint: String?
    /// PEM certificates.
    public var trustRoots: String?

    public init(serviceAccount: String, endpoint: String? = nil, trustRoots: String? = nil) {
        self.serviceAccount = serviceAccount
        self.endpoint = endpoint
        self.trustRoots = trustRoots
    }

    public init(from decoder: any Decoder) throws {
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

/// `PUT …/credentials/webpush` (ADM-2).
public struct WebPushCredentialsRequest: Hashable, Sendable, Codable {
    /// `mailto:` or `https:`: whom a push service may ask about the sender.
    public var subject: String
    /// The private key of the VAPID pair.
    public var privateKey: String
    /// PEM certificates.
    public var trustRoots: String?

    public init(subject: String, privateKey: String, trustRoots: String? = nil) {
        self.subject = subject
        self.privateKey = privateKey
        self.trustRoots = trustRoots
    }
}
