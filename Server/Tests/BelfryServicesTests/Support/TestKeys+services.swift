import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryServices
import Crypto
import Foundation

/// Credentials of the services beside APNs, and what browsers give in place of tokens.
extension TestKeys {
    static func fcm(
        _ changes: [String: String?] = [:], endpoint: String? = nil, trustRoots: String? = nil
    ) -> CredentialVault.FCMSecret {
        CredentialVault.FCMSecret(
            serviceAccount: ServiceAccountFile.json(changes), endpoint: endpoint, trustRoots: trustRoots
        )
    }

    static func webPush(
        subject: String = "mailto:ops@example.com", privateKey: String = privateKey(), trustRoots: String? = nil
    ) -> CredentialVault.WebPushSecret {
        CredentialVault.WebPushSecret(subject: subject, privateKey: privateKey, trustRoots: trustRoots)
    }

    /// The subscription of a browser, as a page hands it over.
    static func subscription(_ endpoint: String = "https://push.example.com/send/1") -> String {
        let key = Base64URL.encode(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)
        let secret = Base64URL.encode([UInt8](repeating: 7, count: 16))
        return #"{"endpoint":"\#(endpoint)","expirationTime":null,"keys":{"p256dh":"\#(key)","auth":"\#(secret)"}}"#
    }
}
