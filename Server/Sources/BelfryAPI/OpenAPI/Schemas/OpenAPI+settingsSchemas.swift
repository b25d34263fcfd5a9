import BelfryModel

extension OpenAPI {
    static let settingsSchemas: [String: Schema] = [
        "AppSettingsAnswer": .object(
            [
                "anonymousContacts": .boolean,
                "identity": identity,
                "maxBadgeCount": .integer(),
                "allowedOrigins": .list(of: .string()),
                "timeZone": .string(),
                "inAppScripts": .boolean,
            ],
            optional: [
                "openID": .reference("OpenIDSettings").described("Absent: no OpenID token is taken."),
                "contactFields": .list(of: .string()).described("Absent: any field links."),
                "eventRetentionDays": .integer().described("Absent: events are kept for good."),
            ]
        ),
        "AppSettingsChange": .object([:], optional: changes, isClosed: true),
        "OpenIDSettings": .object(
            [
                "issuer": .string(1...255).described("What a token's `iss` must be."),
                "audience": .string(1...255).described("What a token's `aud` must be, or contain."),
                "jwks": .object(["keys": .list(of: .reference("JSONWebKey"))])
                    .described("The provider's public keys (RFC 7517): 1 to 20 that check signatures are kept."),
            ],
            optional: [
                "claim": .string(1...64)
                    .described("The claim that holds the contact key; default: `\(OpenIDSettings.standardClaim)`.")
            ],
            isClosed: true
        ),
        "JSONWebKey": .object(
            ["kty": .string().described("`RSA` (2048 to 4096 bits) or `EC` (P-256).")],
            optional: [
                "kid": .string(), "use": .string(), "alg": .string().described("`RS256` or `ES256`."),
                "crv": .string(), "x": .string(), "y": .string(), "n": .string(), "e": .string(),
            ]
        )
        .described("A public key; one with members of a private key is refused."),
    ]

    private static let identity: Schema = .word(IdentityMode.allCases.map(\.rawValue))
        .described(
            "What makes a device a known contact: whoever states its key (`open`), or an OpenID token (`verified`)."
        )

    private static let changes: [String: Schema] = [
        "anonymousContacts": .resettable(.boolean).described("Default: true."),
        "identity": .resettable(identity),
        "openID": .resettable(.reference("OpenIDSettings")),
        "contactFields": .resettable(.list(of: .value(["integer", "string"]), 1...50))
            .described("The contact fields that may link, of 1 to 64 characters each."),
        "maxBadgeCount": .resettable(.integer(1...9_999))
            .described("Default: \(AppSettings.standardMaximumBadge)."),
        "allowedOrigins": .resettable(.list(of: .string(), 0...100))
            .described("Origins of web pages that may call the device API: `https://www.example.com`."),
        "timeZone": .resettable(.string())
            .described("An IANA name; default: \(AppSettings.standardTimeZone)."),
        "eventRetentionDays": .resettable(.integer(1...3_650)).described("Default: events are kept for good."),
        "inAppScripts": .resettable(.boolean)
            .described("Whether HTML of in-app messages may hold script; default: false, it is refused when saved."),
    ]
}
