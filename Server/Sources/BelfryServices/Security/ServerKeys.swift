import Crypto
import Foundation

/// The server's secrets, all derived from one root secret (SEC-1). Processes with the same root secret share them all.
package final class ServerKeys: Sendable {
    package static let minimumSecretLength = 32

    /// Identifies the key that signed a token, so that keys can be changed later.
    package let keyID: String
    let contactToken: SymmetricKey
    let clientState: SymmetricKey
    let contactReference: SymmetricKey
    let inAppCursor: SymmetricKey
    let takeover: SymmetricKey
    let formSecret: SymmetricKey
    let session: SymmetricKey
    package let recipientMark: SymmetricKey
    /// The root key of the admin API if processes share a database and none was configured (ADM-1).
    package let adminKey: [UInt8]
    private let sealing: SymmetricKey

    /// - Parameter secret: at least 32 bytes.
    package init(secret: [UInt8]) {
        let root = SymmetricKey(data: secret)
        func derive(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: root, salt: Data("belfry".utf8), info: Data(purpose.utf8), outputByteCount: 32
            )
        }
        contactToken = derive("contact-token")
        clientState = derive("client-state")
        contactReference = derive("contact-reference")
        inAppCursor = derive("in-app-cursor")
        takeover = derive("takeover")
        formSecret = derive("form-secret")
        session = derive("session")
        recipientMark = derive("recipient-mark")
        sealing = derive("sealing")
        adminKey = derive("admin-key").withUnsafeBytes { Array($0) }
        keyID = SHA256.hash(data: derive("key-id").withUnsafeBytes { Data($0) })
            .prefix(4).map { String(format: "%02x", $0) }.joined()
    }

    /// AES-GCM; `context` identifies the row and is authenticated, so an encrypted value cannot be moved to another
    /// row.
    func seal(_ plain: [UInt8], context: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(plain, using: sealing, authenticating: Data(context.utf8))
        guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
        return Array(combined)
    }

    func open(_ sealed: [UInt8], context: String) throws -> [UInt8] {
        Array(try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: sealing, authenticating: Data(context.utf8)))
    }
}
