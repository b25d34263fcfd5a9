extension OpenAPI {
    static let credentialSchemas: [String: Schema] = [
        "APNsCredentialsRequest": .object(
            [
                "teamId": .string(10...10, pattern: "^[A-Z0-9]+$", example: "TEAM123456"),
                "keyId": .string(10...10, pattern: "^[A-Z0-9]+$", example: "KEY1234567"),
                "topic": .string(1...255, pattern: "^[A-Za-z0-9._-]+$", example: "com.example.shop")
                    .described("The app's bundle identifier."),
                "privateKey": .string().described("The .p8 file as PEM; it is never read back."),
            ],
            optional: [
                "endpoint": .string(0...512, format: "uri").described(
                    "An https base URL; default: Apple's production service."),
                "sandboxEndpoint": .string(0...512, format: "uri").described("Default: Apple's sandbox."),
                "trustRoots": trustRoots,
            ],
            isClosed: true
        ),
        "APNsCredentialsAnswer": .object(apnsFacts).described("What may be shown of them."),
        "FCMCredentialsRequest": .object(
            [
                "serviceAccount": .one(of: [
                    .anyObject.described("The JSON file that Google gives out for a service account, as it is."),
                    .string().described("Its text."),
                ])
                .described("Its `token_uri` is used; its key is never read back.")
            ],
            optional: [
                "endpoint": .string(0...512, format: "uri").described("An https base URL; default: Google's service."),
                "trustRoots": trustRoots,
            ],
            isClosed: true
        ),
        "FCMCredentialsAnswer": .object(fcmFacts).described("What may be shown of them."),
        "WebPushCredentialsRequest": .object(
            [
                "subject": .string().described("Whom a push service may ask about the sender: `mailto:` or `https:`."),
                "privateKey": .string()
                    .described("The private key of the pair, as PEM or base64url; it is never read back."),
            ],
            optional: ["trustRoots": trustRoots], isClosed: true
        ),
        "WebPushCredentialsAnswer": .object(webPushFacts).described("What may be shown of them."),
        "CredentialListAnswer": .object(
            [:], optional: ["apns": stored(apnsFacts), "fcm": stored(fcmFacts), "webpush": stored(webPushFacts)]
        )
        .described("Push services without credentials are absent."),
    ]

    private static let trustRoots: Schema = .string()
        .described("PEM certificates that are trusted instead of the system's.")

    private static let apnsFacts: [String: Schema] = ["teamId": .string(), "keyId": .string(), "topic": .string()]
    private static let fcmFacts: [String: Schema] = ["projectId": .string(), "clientEmail": .string()]
    private static let webPushFacts: [String: Schema] = [
        "publicKey": .string().described("The `applicationServerKey` with which web pages subscribe, as base64url."),
        "subject": .string(),
    ]

    private static func stored(_ facts: [String: Schema]) -> Schema {
        .object(["updatedAt": .reference("Timestamp")], optional: facts)
            .described("Without its facts when the server's secret key is another one than when they were put.")
    }
}
