import BelfryWire

extension WireSample {
    static func credentials() throws -> [WireSample] {
        let apns = APNsCredentialsAnswer(teamId: "TEAM123456", keyId: "KEY1234567", topic: "com.example.shop")
        let fcm = FCMCredentialsAnswer(projectId: "shop-4711", clientEmail: "push@shop-4711.iam.gserviceaccount.com")
        let webPush = WebPushCredentialsAnswer(publicKey: "BAAA", subject: "mailto:ops@example.com")
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
            try WireSample("APNsCredentialsAnswer", apns),
            try WireSample(
                "FCMCredentialsRequest",
                FCMCredentialsRequest(
                    serviceAccount: "{}", endpoint: "https://fcm.googleapis.com", trustRoots: "PEM"
                )
            ),
            try WireSample("FCMCredentialsAnswer", fcm),
            try WireSample(
                "WebPushCredentialsRequest",
                WebPushCredentialsRequest(subject: "mailto:ops@example.com", privateKey: "PEM", trustRoots: "PEM")
            ),
            try WireSample("WebPushCredentialsAnswer", webPush),
            try WireSample(
                "CredentialListAnswer",
                CredentialListAnswer(
                    apns: .init(facts: apns, updatedAt: at), fcm: .init(facts: fcm, updatedAt: at),
                    webpush: .init(facts: nil, updatedAt: at)
                )
            ),
        ]
    }
}
