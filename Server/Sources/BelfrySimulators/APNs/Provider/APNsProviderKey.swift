import Crypto

/// The public half of a provider's signing key (`.p8`), as Apple stores it.
public struct APNsProviderKey: Sendable {
    /// The maximum length of a team id or key id in characters; Apple's have ten.
    public static let idLimit = 32

    /// The team's id, the `iss` of its provider tokens.
    public let teamID: String
    /// The key's id, the `kid` of its provider tokens.
    public let keyID: String
    /// The topics to which the key may push; nil: every topic of the team.
    public let topics: Set<String>?
    /// The environments to which the key may push.
    public let environments: Set<APNsEnvironment>
    let publicKey: P256.Signing.PublicKey

    /// Reads a P-256 public key in PEM (`BEGIN PUBLIC KEY`).
    ///
    /// Throws `invalidValue` if an id does not consist of 1 to 32 ASCII letters and digits, or the PEM is not a P-256
    /// public key.
    public init(
        teamID: String,
        keyID: String,
        publicKeyPEM: String,
        topics: Set<String>? = nil,
        environments: Set<APNsEnvironment> = Set(APNsEnvironment.allCases)
    ) throws(SimulatorError) {
        try Self.checkID(teamID, field: "teamId")
        try Self.checkID(keyID, field: "keyId")
        guard let publicKey = try? P256.Signing.PublicKey(pemRepresentation: publicKeyPEM) else {
            throw SimulatorError(
                .invalidValue,
                field: "publicKey",
                "is not a P-256 public key in PEM (BEGIN PUBLIC KEY)"
            )
        }
        self.teamID = teamID
        self.keyID = keyID
        self.topics = topics
        self.environments = environments
        self.publicKey = publicKey
    }

    private static func checkID(_ id: String, field: String) throws(SimulatorError) {
        let isGood = id.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "a")...UInt8(ascii: "z"):
                true
            default: false
            }
        }
        guard isGood, (1...idLimit).contains(id.utf8.count) else {
            throw SimulatorError(.invalidValue, field: field, "must have 1 to \(idLimit) ASCII letters and digits")
        }
    }
}
