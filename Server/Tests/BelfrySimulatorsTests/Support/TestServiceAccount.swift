import BelfrySimulators
import BelfryTestSupport
import Crypto
import CryptoExtras
import Foundation

/// A sender that asks for access tokens as Google says, written once more for the tests.
struct TestServiceAccount: Sendable {
    static let scope = "https://www.googleapis.com/auth/firebase.messaging"
    /// A key takes long to make, so the tests share two.
    private static let keys = (0..<2).map { _ in Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) } }

    var projectID = "example"
    var clientEmail = "sender@example.iam.gserviceaccount.com"
    var keyID = "key-1"
    let privateKey: _RSA.Signing.PrivateKey

    init(key: Int = 0) throws {
        privateKey = try Self.keys[key].get()
    }

    /// What an assertion says; the defaults are good.
    struct Claims {
        var audience: String
        var issuedAt: Date
        var life: TimeInterval = 3_600
        var scope = TestServiceAccount.scope
        var algorithm = "RS256"
    }

    func registration() throws -> FCMSimulator.ServiceAccount {
        try FCMSimulator.ServiceAccount(
            projectID: projectID,
            clientEmail: clientEmail,
            privateKeyID: keyID,
            publicKeyPEM: privateKey.publicKey.pemRepresentation
        )
    }

    func assertion(_ claims: Claims) throws -> String {
        let issuedAt = Int(claims.issuedAt.timeIntervalSince1970)
        let header = #"{"alg":"\#(claims.algorithm)","typ":"JWT","kid":"\#(keyID)"}"#
        let body =
            #"{"iss":"\#(clientEmail)","scope":"\#(claims.scope)","aud":"\#(claims.audience)","#
            + #""iat":\#(issuedAt),"exp":\#(issuedAt + Int(claims.life))}"#
        let signed = "\(base64URL(header.utf8)).\(base64URL(body.utf8))"
        let signature = try privateKey.signature(
            for: SHA256.hash(data: Data(signed.utf8)),
            padding: .insecurePKCS1v1_5
        )
        return "\(signed).\(base64URL(signature.rawRepresentation))"
    }
}
