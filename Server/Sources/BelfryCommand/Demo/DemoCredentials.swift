import BelfryAPI
import BelfryModel
import BelfryPush
import BelfrySimulators
import Crypto
import Foundation

/// The credentials of the demonstration's app: the keys that Apple, Google and the owner of a web page would have. The
/// simulators know them.
package struct DemoCredentials: Sendable {
    package static let topic = "com.example.demo"
    package static let projectID = "example-demo"
    private static let teamID = "DEMOTEAM01"
    private static let keyID = "DEMOKEY001"

    package let apns: APNsCredentialsRequest
    package let fcm: FCMCredentialsRequest
    package let webPush: WebPushCredentialsRequest
    /// The public key with which browsers subscribe, as base64url.
    package let applicationServerKey: String

    /// Makes the keys and gives their public halves to the simulators.
    package init(for services: SimulatedPushServices) throws {
        let signingKey = P256.Signing.PrivateKey()
        try services.apns.register(
            .init(teamID: Self.teamID, keyID: Self.keyID, publicKeyPEM: signingKey.publicKey.pemRepresentation)
        )
        let addresses = services.addresses
        apns = APNsCredentialsRequest(
            teamId: Self.teamID, keyId: Self.keyID, topic: Self.topic, privateKey: signingKey.pemRepresentation,
            endpoint: addresses.apns.url(of: .production), sandboxEndpoint: addresses.apns.url(of: .sandbox),
            trustRoots: services.trustRootPEM
        )
        fcm = FCMCredentialsRequest(
            serviceAccount: try services.fcm.makeServiceAccount(projectID: Self.projectID),
            endpoint: addresses.fcm.url, trustRoots: services.trustRootPEM
        )
        let pageKey = P256.Signing.PrivateKey()
        webPush = WebPushCredentialsRequest(
            subject: "mailto:demo@example.com", privateKey: pageKey.pemRepresentation, trustRoots: services.trustRootPEM
        )
        applicationServerKey = Base64URL.encode(pageKey.publicKey.x963Representation)
    }
}
