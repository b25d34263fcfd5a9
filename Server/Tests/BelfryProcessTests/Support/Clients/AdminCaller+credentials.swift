import BelfryAPI
import BelfryServerTestSupport
import Crypto

extension AdminCaller {
    /// Gives the app credentials for every push service. They are well formed, and nothing is sent with them.
    func putAllCredentials() async throws {
        let key = P256.Signing.PrivateKey().pemRepresentation
        try await putCredentials(
            APNsCredentialsRequest(
                teamId: "TEAM123456", keyId: "KEY1234567", topic: "com.example.shop", privateKey: key
            )
        )
        let fcm = FCMCredentialsRequest(serviceAccount: ServiceAccountFile.json())
        _ = try await send(.PUT, path("credentials/fcm"), fcm, as: FCMCredentialsResponse.self)
        let webPush = WebPushCredentialsRequest(subject: "mailto:ops@example.com", privateKey: key)
        _ = try await send(.PUT, path("credentials/webpush"), webPush, as: WebPushCredentialsResponse.self)
    }
}
