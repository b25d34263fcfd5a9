import CryptoExtras
import Synchronization

/// The public half of a service account's key, as Google stores it.
public struct FCMServiceAccount: Sendable {
    /// The maximum length of a project id, a key id and an address in characters.
    public static let textLimit = 255

    /// The project for which the account may send.
    public let projectID: String
    /// `client_email`, the `iss` of the account's assertions.
    public let clientEmail: String
    /// `private_key_id`, the `kid` of the account's assertions.
    public let privateKeyID: String
    let publicKey: _RSA.Signing.PublicKey

    /// Reads an RSA public key of 2,048 bits or more in PEM (`BEGIN PUBLIC KEY`).
    ///
    /// Throws `invalidValue` if a text is empty, longer than 255 bytes, or has a character that is invalid in a URL's
    /// path, or if the PEM is not such a key.
    public init(
        projectID: String,
        clientEmail: String,
        privateKeyID: String,
        publicKeyPEM: String
    ) throws(SimulatorError) {
        try Self.check(clientEmail, field: "clientEmail")
        try Self.check(privateKeyID, field: "privateKeyId")
        guard let publicKey = try? _RSA.Signing.PublicKey(pemRepresentation: publicKeyPEM) else {
            throw SimulatorError(
                .invalidValue,
                field: "publicKey",
                "is not an RSA public key of 2048 bits or more in PEM (BEGIN PUBLIC KEY)"
            )
        }
        try self.init(projectID, clientEmail, privateKeyID, publicKey)
    }

    init(
        _ projectID: String,
        _ clientEmail: String,
        _ privateKeyID: String,
        _ publicKey: _RSA.Signing.PublicKey
    ) throws(SimulatorError) {
        try Self.check(projectID, field: "projectId")
        self.projectID = projectID
        self.clientEmail = clientEmail
        self.privateKeyID = privateKeyID
        self.publicKey = publicKey
    }

    static func check(_ text: String, field: String) throws(SimulatorError) {
        let isGood = text.utf8.allSatisfy { byte in
            SimulatorBase64URL.value(of: byte) != nil
                || [UInt8(ascii: "."), UInt8(ascii: "@"), UInt8(ascii: ":")].contains(byte)
        }
        guard isGood, (1...textLimit).contains(text.utf8.count) else {
            throw SimulatorError(
                .invalidValue,
                field: field,
                "must have 1 to \(textLimit) ASCII letters, digits, and . @ : - _"
            )
        }
    }
}

/// The registered service accounts.
final class SimulatedFCMAccounts: Sendable {
    /// The maximum number of service accounts.
    static let limit = 1_000

    private let accounts = Mutex<[String: FCMServiceAccount]>([:])

    /// Registers an account; it replaces one with the same address. False: the limit is reached.
    func register(_ account: FCMServiceAccount) -> Bool {
        accounts.withLock { accounts in
            guard accounts.count < Self.limit || accounts[account.clientEmail] != nil else { return false }
            accounts[account.clientEmail] = account
            return true
        }
    }

    func account(_ clientEmail: String) -> FCMServiceAccount? {
        accounts.withLock { $0[clientEmail] }
    }
}
