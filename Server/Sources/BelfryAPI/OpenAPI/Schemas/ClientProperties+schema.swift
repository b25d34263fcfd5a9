import BelfryModel
import BelfryWire

extension ClientProperties: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "platform": .property("`ios`, `android`, `android-huawei`, `web` …"),
            "applicationVersion": .property("The version of the app."),
            "deviceModel": .property("`iPhone14,2`"),
            "osVersion": .property("The version of the operating system."),
            "sdkVersion": .property("The version of the SDK."),
            "language": .property("`en-US`"),
            "timezone": .string(0...ClientProperties.maximumLength, pattern: "^[ -~]*$", example: "+0100")
                .described("An offset (`+0100`) or an IANA name (`Europe/Paris`)."),
            "pushSettings": .object(
                [:],
                optional: [
                    "authorizationStatus": .string(example: "authorized")
                        .described(
                            "iOS: `authorized`, `provisional`, `ephemeral` or `denied`; other words are ignored."
                        ),
                    "areNotificationsEnabled": .boolean.described("Android."),
                    "channelSettings": .list(of: JSONSchema.notificationChannel)
                        .described(
                            "Android: the app's notification channels. A push that names none uses one of them."
                        ),
                ]
            )
            .described("The system's settings for notifications; other keys are ignored."),
        ]
    )
    .described("What the device reports about itself. Absent or blank fields do not change.")
}

extension ContactLinkRequest: Described {
    static let schema: JSONSchema = .object(
        [:],
        optional: [
            "contactFieldId": .value(["integer", "string"])
                .described(
                    """
                    The field of the value; `3` and `"3"` are the same field. A name is trimmed and has at most 255 \
                    characters.
                    """
                ),
            "contactFieldValue": .string(1...ContactKey.maximumLength)
                .described(
                    """
                    The value of the contact field, trimmed. Of the app's own field it is the contact key; with another \
                    field the key is made of both. It does not begin with \
                    \(ContactKey.reservedPrefixes.map { "`\($0)`" }.joined(separator: ", ")).
                    """
                ),
            "openIdToken": .string()
                .described("Proves the contact key; the app's settings name the accepted issuer."),
            "partyIdentifier": .of(PartyIdentifier.self),
            "nonce": .string()
                .described(
                    """
                    From the `belfry` object of a silent push: a re-installed app takes its anonymous contact back. 403 if \
                    nothing is offered, or not to this device.
                    """
                ),
        ]
    )
    .described("One of them: `openIdToken` counts before `contactFieldValue`, then `partyIdentifier`, then `nonce`.")
}

extension ContactLinkResponse: Described {
    static let schema: JSONSchema = .object([
        "contactToken": .string().described("For `X-Contact-Token`; valid for about eight hours."),
        "refreshToken": .string().described("For new contact tokens; it does not expire."),
        "contactReference": .string()
            .described("Opaque; events carry it as `contact`, so that they stay with the person who caused them."),
    ])
}

extension ContactTokenRequest: Described {
    static let schema: JSONSchema = .object(["refreshToken": .string()])
}

extension ContactTokenResponse: Described {
    static let schema: JSONSchema = .object(["contactToken": .string()])
}

extension PushTokenRequest: Described {
    static let schema: JSONSchema = .object(
        [
            "pushToken": .one(of: [
                .string(1...PushToken.maximumLength, pattern: "^[!-~]+$", example: "0123456789abcdef")
                    .described("Visible ASCII without spaces."),
                JSONSchema.browserSubscription,
            ])
        ],
        optional: [
            "provider": .of(PushProvider.self).described("If absent, the device's platform decides."),
            "environment": .of(PushEnvironment.self).described("Default: production."),
        ]
    )
    .described("`push_token` is an alias of `pushToken`.")
}

extension JSONSchema {
    fileprivate static let notificationChannel: JSONSchema = .object(
        ["channelId": .string(example: "news")],
        optional: ["importance": .integer().described("0: the person has blocked it.")]
    )
    .described("Other keys are ignored.")

    fileprivate static func property(_ description: String) -> JSONSchema {
        .string(0...ClientProperties.maximumLength).described(description)
    }

    /// The subscription that a browser sends in place of a token.
    static let browserSubscription: JSONSchema = .object([
        "endpoint": .string(format: "uri").described("An https URL with a public address."),
        "keys": .object(["p256dh": .string(), "auth": .string()]),
    ])
    .described("The subscription object of a browser, or its JSON text.")
}
