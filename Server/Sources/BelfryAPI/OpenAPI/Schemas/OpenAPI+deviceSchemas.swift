import BelfryModel
import BelfryWire

extension OpenAPI {
    static let deviceSchemas: [String: Schema] = [
        "ClientProperties": clientProperties,
        "ContactLinkRequest": contactLink,
        "ContactLinkAnswer": .object([
            "contactToken": .string().described("For `X-Contact-Token`; valid for about eight hours."),
            "refreshToken": .string().described("Asks for further contact tokens; it does not expire."),
            "contactReference": .string()
                .described("Opaque; events carry it as `contact`, so that they stay with whom they happened to."),
        ]),
        "ContactTokenRequest": .object(["refreshToken": .string()]),
        "ContactTokenAnswer": .object(["contactToken": .string()]),
        "PushTokenRequest": pushToken,
    ]

    private static let clientProperties: Schema = .object(
        [:],
        optional: [
            "platform": property("`ios`, `android`, `android-huawei`, `web` …"),
            "applicationVersion": property("The version of the app."),
            "deviceModel": property("`iPhone14,2`"),
            "osVersion": property("The version of the operating system."),
            "sdkVersion": property("The version of the SDK."),
            "language": property("`en-US`"),
            "timezone": .string(0...ClientProperties.maximumLength, pattern: "^[ -~]*$", example: "+0100")
                .described("An offset (`+0100`) or an IANA name (`Europe/Paris`)."),
            "pushSettings": .object(
                [:],
                optional: [
                    "authorizationStatus": .string(example: "authorized")
                        .described(
                            "iOS: `authorized`, `provisional`, `ephemeral` or `denied`; other words say nothing."
                        ),
                    "areNotificationsEnabled": .boolean.described("Android."),
                ]
            )
            .described("What the system's settings say of notifications; other keys are passed over."),
        ]
    )
    .described("What the device says about itself. What is absent or blank stays as it was.")

    private static func property(_ description: String) -> Schema {
        .string(0...ClientProperties.maximumLength).described(description)
    }

    private static let contactLink: Schema = .object(
        [:],
        optional: [
            "contactFieldId": .value(["integer", "string"])
                .described("The field that the value belongs to; `3` and `\"3\"` are one field."),
            "contactFieldValue": .string(1...ContactKey.maximumLength)
                .described(
                    """
                    The contact's key, trimmed. Without an OpenID token it is asked for. It does not begin with \
                    `\(ContactKey.anonymousPrefix)`.
                    """
                ),
            "openIdToken": .string()
                .described("Proves the contact's key; the app's settings say whose tokens are taken."),
        ]
    )

    /// What a browser gives in place of a token.
    static let browserSubscription: Schema = .object([
        "endpoint": .string(format: "uri").described("An https URL, at a public address."),
        "keys": .object(["p256dh": .string(), "auth": .string()]),
    ])
    .described("The subscription object of a browser, or its JSON text.")

    private static let pushToken: Schema = .object(
        [
            "pushToken": .one(of: [
                .string(1...PushToken.maximumLength, pattern: "^[!-~]+$", example: "0123456789abcdef")
                    .described("Visible ASCII without spaces."),
                browserSubscription,
            ])
        ],
        optional: [
            "provider": .reference("PushProvider").described("Absent, the device's platform decides."),
            "environment": .reference("PushEnvironment").described("Default: production."),
        ]
    )
    .described("`push_token` is another spelling of `pushToken`.")
}
