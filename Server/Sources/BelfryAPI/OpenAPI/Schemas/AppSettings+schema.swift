import BelfryModel
import BelfryServerModel
import BelfryServices

extension AppSettingsChange: Described {
    static let schema: JSONSchema = .object([:], optional: changes, isClosed: true)

    private static let changes: [String: JSONSchema] = [
        "anonymousContacts": .resettable(.boolean).described("Default: true."),
        "identity": .resettable(.identity),
        "openID": .resettable(.of(OpenIDSettings.self)),
        "contactFields": .resettable(.list(of: .value(["integer", "string"]), 1...SettingsCheck.maximumFields))
            .described(
                "The contact fields for links, of 1 to \(SettingsCheck.maximumFieldLength) characters each."),
        "contactField": .resettable(.value(["integer", "string"]))
            .described(
                """
                The app's own contact field. Its value is the plain contact key; with it, each other field is a name \
                space of its own. Default: the value alone is the contact key, whatever the field.
                """
            ),
        "maxBadgeCount": .resettable(.integer(SettingsCheck.badgeCounts))
            .described("Default: \(AppSettings.standardMaximumBadge)."),
        "allowedOrigins": .resettable(.list(of: .string(), 0...SettingsCheck.maximumOrigins))
            .described("Origins of web pages that may call the device API: `https://www.example.com`."),
        "timeZone": .resettable(.string())
            .described("An IANA name; default: \(AppSettings.standardTimeZone)."),
        "eventRetentionDays": .resettable(.integer(SettingsCheck.retentionDays)).described(
            "Default: events are never deleted."),
        "deliveryRetentionDays": .resettable(.integer(SettingsCheck.ledgerDays)).described(
            """
            Days after the end of a campaign for which its delivery record of each device is kept; its totals stay. \
            Default: for good.
            """
        ),
        "dormantAfterDays": .resettable(.integer(SettingsCheck.dormancyDays)).described(
            """
            Days without an opening, a change or a call after which a device that can get no push becomes dormant: it is in \
            no audience and no figure until its app is opened. Default: \(AppSettings.standardDormantAfterDays).
            """
        ),
        "inAppScripts": .resettable(.boolean)
            .described("Whether HTML of in-app messages may contain script; default: false, it is rejected."),
        "requiresApproval": .resettable(.boolean)
            .described("Whether campaigns need the approval of a second person to be launched; default: false."),
    ]
}

extension OpenIDSettings: Described {
    static let schema: JSONSchema = .object(
        [
            "issuer": .string(1...OpenIDSettings.maximumNameLength).described("A token's `iss` must be this."),
            "audience": .string(1...OpenIDSettings.maximumNameLength).described(
                "A token's `aud` must be or contain this."),
            "jwks": .object(["keys": .list(of: .of(JSONWebKey.self))])
                .described(
                    """
                    The provider's public keys (RFC 7517): 1 to \(OpenIDSettings.maximumKeys) keys that check signatures.
                    """
                ),
        ],
        optional: [
            "claim": .string(1...OpenIDSettings.maximumClaimLength)
                .described("The claim with the contact key; default: `\(OpenIDSettings.standardClaim)`.")
        ],
        isClosed: true
    )
}

extension JSONWebKey: Described {
    static let schema: JSONSchema = .object(
        ["kty": .string().described("`RSA` (2048 to 4096 bits) or `EC` (P-256).")],
        optional: [
            "kid": .string(), "use": .string(), "alg": .string().described("`RS256` or `ES256`."),
            "crv": .string(), "x": .string(), "y": .string(), "n": .string(), "e": .string(),
        ]
    )
    .described("A public key; a private key is rejected.")
}

extension JSONSchema {
    static let identity: JSONSchema = .cases(of: IdentityMode.self)
        .described(
            "How a device logs in as a known contact: with the contact key (`open`), or an OpenID token (`verified`)."
        )
}
