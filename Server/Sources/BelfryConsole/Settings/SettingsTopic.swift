import BelfryServerModel
import BelfryServices

/// A page of settings that is one form: which settings it shows, and how (CON-10).
struct SettingsTopic: Sendable {
    /// How one setting is asked for.
    struct Question: Sendable {
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
    let questions: [Question]

    var names: [String] { questions.map(\.name) }

    static let all = [general, identity, badges, websites, retention]

    static let general = SettingsTopic(
        place: .general, lead: "What the app is called, and what holds for all of its campaigns.",
        questions: [
            Question("name", .line, "Name", "As people see it in this console."),
            Question(
                "timeZone", .line, "Time zone",
                "An IANA name such as Europe/Paris. Times without a zone, in campaigns and attributes, are read by it."
            ),
            Question(
                "requiresApproval", .check, "Campaigns need an approval",
                "Somebody else than the author approves a campaign before it is launched."
            ),
            Question(
                "inAppScripts", .check, "In-app messages may carry scripts",
                "Scripts run in the app, in a frame of their own. Leave it off if nobody needs them."
            ),
        ]
    )

    static let identity = SettingsTopic(
        place: .identity, lead: "How a device becomes a known person's, and who may say so.",
        questions: [
            Question(
                "anonymousContacts", .check, "Anonymous contacts are allowed",
                "A device has one until somebody logs in on it. Without them, only known contacts are linked to devices."
            ),
            Question(
                "identity",
                .choice([
                    FormChoice("open", "Open: whoever names a contact key is that contact"),
                    FormChoice("verified", "Verified: only a token of the identity provider proves a contact"),
                ]), "How a contact is proven",
                "Open is safe only if contact keys cannot be guessed: no e-mail addresses, no numbers in sequence."
            ),
            Question(
                "openID.issuer", .line, "Issuer", "As tokens of the identity provider name it. Empty: no provider."),
            Question("openID.audience", .line, "Audience", "What tokens must be meant for."),
            Question("openID.claim", .line, "Claim", "The part of the token that is the contact key. Empty: sub."),
            Question(
                "openID.jwks", .code, "Public keys",
                "The provider's key set as JSON, {\"keys\": […]}. Never paste private keys."
            ),
            Question(
                "contactFields", .area, "Fields that may link", "One on each line. Empty: any field may link a device."
            ),
            Question(
                "contactField", .line, "The app's own contact field",
                "Its value is the contact key itself. Empty: the value alone counts, whatever the field."
            ),
        ]
    )

    static let badges = SettingsTopic(
        place: .badges, lead: "The number on the app's icon, which campaigns set and raise.",
        questions: [
            Question(
                "maxBadgeCount", .number, "Highest number",
                "Higher numbers become this one. Empty: \(AppSettings.standardMaximumBadge)."
            )
        ]
    )

    static let websites = SettingsTopic(
        place: .websites, lead: "Which web pages may use this app, and how their browsers get pushes.",
        questions: [
            Question(
                "allowedOrigins", .area, "Websites",
                "One on each line, such as https://www.example.com. Pages of other websites cannot call the server."
            )
        ]
    )

    static let retention = SettingsTopic(
        place: .retention, lead: "How long the app keeps what people did and got, and devices that are gone.",
        questions: [
            Question(
                "eventRetentionDays", .number, "Days for which events are kept",
                "From 1 to 3,650. Older events are deleted, and no audience finds them. Empty: they are kept for good."
            ),
            Question(
                "deliveryRetentionDays", .number, "Days for which it is kept who got a campaign",
                "From 60 to 3,650, counted from the campaign's end. Then nobody can look up what became of it on a device; "
                    + "the campaign and its sums stay. Empty: it is kept for good."
            ),
            Question(
                "dormantAfterDays", .number, "Days after which a device becomes dormant",
                "From 30 to 3,650: without an opening of the app, and without a push token that can be used. It is in no "
                    + "audience until its app is opened. Empty: \(AppSettings.standardDormantAfterDays)."
            ),
        ]
    )
}
