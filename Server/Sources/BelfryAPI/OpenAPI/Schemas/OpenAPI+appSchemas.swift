import BelfryModel

extension OpenAPI {
    static let appSchemas: [String: Schema] = [
        "CreateAppRequest": .object(["code": .reference("AppCode"), "name": .string(1...200)]),
        "CreateAppAnswer": .object([
            "code": .reference("AppCode"),
            "name": .string(),
            "apiKey": .string().described("An admin key for this app, shown this once; it never belongs in an app."),
        ]),
        "AppListAnswer": .object(
            ["apps": .list(of: .object(["code": .reference("AppCode"), "name": .string()]))],
            optional: ["cursor": cursor]
        ),
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
                "trustRoots": .string().described("PEM certificates that are trusted instead of the system's."),
            ]
        ),
        "APNsCredentialsAnswer": .object(["teamId": .string(), "keyId": .string(), "topic": .string()])
            .described("What may be shown of them."),
        "AttributeType": .word(AttributeType.allCases.map(\.rawValue)),
        "DefineAttributeRequest": .object(["type": .reference("AttributeType")]),
        "AttributeAnswer": .object(["key": .string(), "type": .reference("AttributeType")]),
        "AttributeListAnswer": .object(["attributes": .list(of: .reference("AttributeAnswer"))]),
    ]
}
