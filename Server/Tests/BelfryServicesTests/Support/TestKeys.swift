import BelfryServices
import Crypto

/// Keys and credentials, created when a test asks for them.
enum TestKeys {
    static let rootKey = "root-key-of-the-tests-0123456789abcdef"

    /// A P-256 key as Apple's `.p8` file carries it.
    static func privateKey() -> String {
        P256.Signing.PrivateKey().pemRepresentation
    }

    static func apns(
        privateKey: String = privateKey(), topic: String = "com.example.shop", endpoint: String? = nil,
        sandboxEndpoint: String? = nil
    ) -> CredentialVault.APNsSecret {
        CredentialVault.APNsSecret(
            teamID: "TEAM123456", keyID: "KEY1234567", topic: topic, privateKey: privateKey, endpoint: endpoint,
            sandboxEndpoint: sandboxEndpoint, trustRoots: nil
        )
    }

    static func server(_ secret: String = "a secret of the tests, which is long enough") -> ServerKeys {
        ServerKeys(secret: Array(secret.utf8))
    }
}
