import BelfryServerModel
import BelfryServices

/// A page of settings with one form: the settings that it shows, and how (CON-10).
struct SettingsTopic: Sendable {
    /// How one setting is shown and entered.
    struct Field: Sendable {
        /// As the API calls it.
        let name: String
        let kind: FormField.Kind
        let label: String
        let hint: String?

        init(_ name: String, _ kind: FormField.Kind, _ label: String, _ hint: String? = nil) {
            self.name = name
            self.kind = kind
            self.label = label
            self.hint = hint
        }
    }

    let place: SettingsPlace
    let lead: String
    let fields: [Field]

    var names: [String] { fields.map(\.name) }

    static let all = [general, identity, badges, websites, retention]

    static let general = SettingsTopic(
        place: .general, lead: "The app's name, and rules for all of its campaigns.",
        fields: [
            Field("name", .line, "Name", "As people see it in this console."),
            Field(
                "timeZone", .line, "Time zone",
                "An IANA name such as Europe/Paris. Times without a zone, in campaigns and attributes, are read by it."
            ),
            Field(
                "requiresApproval", .check, "Campaigns need an approval",
                "Another person than the author approves each campaign before its launch."
            ),
            Field(
                "inAppScripts", .check, "In-app messages may carry scripts",
                "Scripts run in the app, in a separate frame. Leave this off if you do not need them."
            ),
        ]
    )

    static let identity = SettingsTopic(
        place: .identity, lead: "How a device is linked to a known contact, and what proves it.",
        fields: [
            Field(
                "anonymousContacts", .check, "Anonymous contacts are allowed",
                "A device has one until somebody logs in on it. Without them, only known contacts are linked to devices."
            ),
            Field(
                "identity",
                .choice([
                    FormChoice("open", "Open: the contact key alone identifies the contact"),
                    FormChoice("verified", "Verified: only a token of the identity provider proves a contact"),
                ]), "How a contact is proven",
                "Open is safe only if contact keys cannot be guessed: no e-mail addresses, no numbers in sequence."
            ),
            Field(
                "openID.issuer", .line, "Issuer", "As in the identity provider's tokens. Empty: no provider."),
            Field("openID.audience", .line, "Audience", "The audience that tokens must name."),
            Field("openID.claim", .line, "Claim", "The claim that contains the contact key. Empty: sub."),
            Field(
                "openID.jwks", .code, "Public keys",
                "The provider's key set as JSON, {\"keys\": […]}. Never paste private keys."
            ),
            Field(
                "contactFields", .area, "Fields that may link", "One on each line. Empty: any field may link a device."
            ),
            Field(
                "contactField", .line, "The app's own contact field",
                "Its value is the contact key. Empty: the value of any field is the contact key."
            ),
        ]
    )

    static let badges = SettingsTopic(
        place: .badges, lead: "The number on the app's icon. Campaigns can set or increase it.",
        fields: [
            Field(
                "maxBadgeCount", .number, "Highest number",
                "Higher numbers are lowered to this one. Empty: \(AppSettings.standardMaximumBadge)."
            )
        ]
    )

    static let websites = SettingsTopic(
        place: .websites, lead: "Which web pages may use this app, and how their browsers get pushes.",
        fields: [
            Field(
                "allowedOrigins", .area, "Websites",
                "One on each line, such as https://www.example.com. Pages of other websites cannot call the server."
            )
        ]
    )

    static let retention = SettingsTopic(
        place: .retention,
        lead: "How long the app keeps events and delivery records, and when unused devices become dormant.",
        fields: [
            Field(
                "eventRetentionDays", .number, "Days to keep events",
                "From 1 to 3,650. Older events are deleted, and no audience finds them. Empty: they are kept for good."
            ),
            Field(
                "deliveryRetentionDays", .number, "Days to keep delivery records",
                "From 60 to 3,650, counted from the campaign's end. After that, nobody can look up the delivery to a device; "
                    + "the campaign and its totals stay. Empty: they are kept for good."
            ),
            Field(
                "dormantAfterDays", .number, "Days after which a device becomes dormant",
                "From 30 to 3,650: without an opening of the app, and without a push token that can be used. It is in no "
                    + "audience until its app is opened. Empty: \(AppSettings.standardDormantAfterDays)."
            ),
        ]
    )
}
