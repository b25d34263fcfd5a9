import BelfryModel
import BelfryServices

/// The form for the credentials of one push service. Its secrets are sent once and never shown.
struct CredentialForm: Hashable, Sendable {
    let provider: PushProvider
    /// The values by field name; secret ones are read and never shown again.
    let texts: [String: String]

    init(_ provider: PushProvider, _ form: FormFields) {
        self.provider = provider
        texts = Self.fields(provider).reduce(into: [:]) { $0[$1.name] = form[$1.name] }
    }

    /// Shows the stored credentials without their secrets.
    init(_ provider: PushProvider, of overview: CredentialOverview) {
        self.provider = provider
        texts =
            switch provider {
            case .apns:
                overview.apns?.facts.map { ["teamId": $0.teamID, "keyId": $0.keyID, "topic": $0.topic] } ?? [:]
            case .fcm: [:]
            case .webpush: overview.webpush?.facts.map { ["subject": $0.subject] } ?? [:]
            }
    }

    subscript(_ name: String) -> String { texts[name] ?? "" }

    var names: [String] { Self.fields(provider).map(\.name) }

    private func optional(_ name: String) -> String? { self[name].showsNothing ? nil : self[name] }

    /// Stores the credentials, unless they have changed since the editor saw them.
    func save(_ services: APIServices, app: AppService.App, over revision: CredentialRevision) async throws {
        switch provider {
        case .apns:
            let secret = CredentialVault.APNsSecret(
                teamID: self["teamId"], keyID: self["keyId"], topic: self["topic"], privateKey: self["privateKey"],
                endpoint: optional("endpoint"), sandboxEndpoint: optional("sandboxEndpoint"),
                trustRoots: optional("trustRoots")
            )
            try await services.apps.putAPNsCredentials(secret, app: app, over: revision)
        case .fcm:
            let secret = CredentialVault.FCMSecret(
                serviceAccount: self["serviceAccount"], endpoint: optional("endpoint"),
                trustRoots: optional("trustRoots")
            )
            try await services.apps.putFCMCredentials(secret, app: app, over: revision)
        case .webpush where self["privateKey"].showsNothing && revision == .nothing:
            try await services.apps.makeWebPushCredentials(
                subject: self["subject"], trustRoots: optional("trustRoots"), app: app
            )
        case .webpush:
            let secret = CredentialVault.WebPushSecret(
                subject: self["subject"], privateKey: self["privateKey"], trustRoots: optional("trustRoots")
            )
            try await services.apps.putWebPushCredentials(secret, app: app, over: revision)
        }
    }
}

extension CredentialForm {
    static func fields(_ provider: PushProvider) -> [SettingsTopic.Field] {
        switch provider {
        case .apns: apns
        case .fcm: fcm
        case .webpush: webpush
        }
    }

    private static let roots = SettingsTopic.Field(
        "trustRoots", .code, "Certificates to trust",
        "PEM. Only for a simulator or a proxy of your own; empty: those of the system."
    )

    private static let apns: [SettingsTopic.Field] = [
        .init("teamId", .line, "Team id", "Ten characters, from the membership page of Apple's developer site."),
        .init("keyId", .line, "Key id", "Ten characters: those in the name of the file AuthKey_….p8."),
        .init("topic", .line, "Bundle id", "Of the app, such as com.example.shop."),
        .init("privateKey", .secretArea, "Key", "The content of the .p8 file. It is encrypted and never shown again."),
        .init("endpoint", .line, "Production endpoint", "Empty: Apple's own."),
        .init("sandboxEndpoint", .line, "Sandbox endpoint", "Empty: Apple's own."),
        roots,
    ]

    private static let fcm: [SettingsTopic.Field] = [
        .init(
            "serviceAccount", .secretArea, "Service account",
            "The JSON file from the Firebase console: project settings, service accounts. It is encrypted and never "
                + "shown again."
        ),
        .init("endpoint", .line, "Endpoint", "Empty: Google's own."),
        roots,
    ]

    private static let webpush: [SettingsTopic.Field] = [
        .init(
            "subject", .line, "Your contact", "For the browsers' push services: mailto:you@example.com, or a website."),
        .init(
            "privateKey", .secretArea, "Private key",
            "PEM, or what VAPID tools print. Empty: the server makes a key pair and keeps it. It is never shown."
        ),
        roots,
    ]
}
