import BelfrySimulators
import BelfryTestSupport
import Crypto
import Foundation

/// A provider that signs as Apple says, written once more for the tests.
struct TestAPNsProvider: Sendable {
    var teamID = "TEAM123456"
    var keyID = "KEY1234567"
    let privateKey: P256.Signing.PrivateKey

    /// Providers with different bytes have different keys.
    init(byte: UInt8 = 1) throws {
        privateKey = try P256.Signing.PrivateKey(rawRepresentation: Data(repeating: byte, count: 32))
    }

    func publicKey(topics: Set<String>? = nil) throws -> APNsSimulator.ProviderKey {
        try APNsSimulator.ProviderKey(
            teamID: teamID,
            keyID: keyID,
            publicKeyPEM: privateKey.publicKey.pemRepresentation,
            topics: topics
        )
    }

    func token(issuedAt date: Date, algorithm: String = "ES256") throws -> String {
        let header = base64URL(#"{"alg":"\#(algorithm)","kid":"\#(keyID)"}"#.utf8)
        let issuedAt = Int(date.timeIntervalSince1970)
        let claims = base64URL(#"{"iss":"\#(teamID)","iat":\#(issuedAt)}"#.utf8)
        let signature = try privateKey.signature(for: Data("\(header).\(claims)".utf8))
        return "\(header).\(claims).\(base64URL(signature.rawRepresentation))"
    }
}
