@testable import BelfryAPI

extension WireSample {
    static func credentials() throws -> [WireSample] {
        let apns = APNsCredentialsResponse(teamId: "TEAM123456", keyId: "KEY1234567", topic: "com.example.shop")
        let fcm = FCMCredentialsResponse(projectId: "shop-4711", clientEmail: "push@shop-4711.iam.gserviceaccount.com")
        let webPush = WebPushCredentialsResponse(publicKey: "BAAA", subject: "mailto:ops@example.com")
        let at = "2026-11-21T12:00:00.000Z"
        return [
            try WireSample(
                "APNsCredentialsRequest",
                APNsCredentialsRequest(
                    teamId: "TEAM123456", keyId: "KEY1234567", topic: "com.example.shop", privateKey: "PEM",
                    endpoint: "https://api.push.apple.com", sandboxEndpoint: "https://api.sandbox.push.apple.com",
                    trustRoots: "PEM"
                )
            ),
            try WireSample("APNsCredentialsResponse", apns),
            try WireSample(
                "FCMCredentialsRequest",
                FCMCredentialsRequest(
                    serviceAccount: "{}", endpoint: "https://fcm.googleapis.com", trustRoots: "PEM"
                )
            ),
            try WireSample("FCMCredentialsResponse", fcm),
            try WireSample(
                "WebPushCredentialsRequest",
                WebPushCredentialsRequest(subject: "mailto:ops@example.com", privateKey: "PEM", trustRoots: "PEM")
            ),
            try WireSample("WebPushCredentialsResponse", webPush),
            try WireSample(
                "CredentialListResponse",
                CredentialListResponse(
                    apns: .init(facts: apns, updatedAt: at), fcm: .init(facts: fcm, updatedAt: at),
                    webpush: .init(facts: nil, updatedAt: at)
                )
            ),
        ]
    }
}
