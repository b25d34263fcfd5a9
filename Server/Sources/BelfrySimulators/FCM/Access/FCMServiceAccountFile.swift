import CryptoExtras

/// The file with a private key that Google's console issues for a service account.
struct FCMServiceAccountFile: Encodable {
    let account: FCMServiceAccount
    private let privateKey: String
    private let tokenURI: String

    /// Creates a new key. It comes from the system's secure randomness and not from the simulator's generator: a key
    /// derived from a seed is not secret.
    init(projectID: String, number: String, tokenURI: String) throws {
        let key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
        account = try FCMServiceAccount(
            projectID,
            "simulator-\(number)@\(projectID).iam.gserviceaccount.com",
            number,
            key.publicKey
        )
        privateKey = key.pkcs8PEMRepresentation
        self.tokenURI = tokenURI
    }

    private enum CodingKeys: String, CodingKey {
        case type
        case projectID = "project_id"
        case privateKeyID = "private_key_id"
        case privateKey = "private_key"
        case clientEmail = "client_email"
        case clientID = "client_id"
        case authURI = "auth_uri"
        case tokenURI = "token_uri"
        case universe = "universe_domain"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode("service_account", forKey: .type)
        try container.encode(account.projectID, forKey: .projectID)
        try container.encode(account.privateKeyID, forKey: .privateKeyID)
        try container.encode(privateKey, forKey: .privateKey)
        try container.encode(account.clientEmail, forKey: .clientEmail)
        try container.encode("100000000000000000000", forKey: .clientID)
        try container.encode(tokenURI, forKey: .authURI)
        try container.encode(tokenURI, forKey: .tokenURI)
        try container.encode("googleapis.com", forKey: .universe)
    }
}
