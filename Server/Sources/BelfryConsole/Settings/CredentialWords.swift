import BelfryModel
import BelfryServices

/// Sentences on stored credentials and on a push service's response to their check (CON-10).
enum CredentialWords {
    /// The sender that the stored credentials name, without secrets; nil: none are stored.
    static func stored(_ provider: PushProvider, _ overview: CredentialOverview) -> String? {
        switch provider {
        case .apns:
            overview.apns.map { entry in
                entry.facts.map { "Sends as \($0.topic) with the key \($0.keyID) of the team \($0.teamID)." }
                    ?? unreadable
            }
        case .fcm:
            overview.fcm.map { entry in
                entry.facts.map { "Sends for the project \($0.projectID) as \($0.clientEmail)." } ?? unreadable
            }
        case .webpush:
            overview.webpush.map { entry in
                entry.facts.map { "Sends to browsers as \($0.subject). The public key is \($0.publicKey)." }
                    ?? unreadable
            }
        }
    }

    static let unreadable =
        "They cannot be decrypted: the server's secret key has changed since they were stored. Enter them again."

    /// A sentence on the result of a check, with what to do.
    static func result(_ result: CredentialCheckResult, of provider: PushProvider) -> (sentence: String, isGood: Bool) {
        let name = provider.title
        switch result {
        case .accepted where provider == .webpush:
            return (
                "The key pair is complete. Browsers' push services do not register senders, so nobody can check it.",
                true
            )
        case .accepted:
            return (
                "\(name) accepts these credentials. The check sent a push to a device that does not exist; nothing "
                    + "was delivered.", true
            )
        case .rejected(let reason):
            return ("\(name) rejects these credentials: '\(reason.isolated)'. \(advice(reason, provider))", false)
        case .unknown(let reason):
            return (
                "\(name) did not confirm these credentials: '\(reason.isolated)'. Try again; if it happens again, check that "
                    + "the server may connect to it.", false
            )
        case .unreadable:
            return (unreadable, false)
        }
    }

    private static func advice(_ reason: String, _ provider: PushProvider) -> String {
        switch reason {
        case "InvalidProviderToken", "ExpiredProviderToken", "MissingProviderToken":
            "Check the key, its id and the team id, and the server's clock."
        case "TopicDisallowed", "BadTopic", "MissingTopic":
            "Check the bundle id: the key belongs to another team or app."
        case "BadCertificateEnvironment", "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken":
            "The key is restricted to another environment."
        case "invalid_grant", "UNAUTHENTICATED":
            "The service account was deleted or its key was revoked. Make a new key."
        case "PERMISSION_DENIED":
            "The service account lacks the right to send, or the API is not enabled in the project."
        default:
            provider == .apns
                ? "Compare it with what Apple's developer site shows." : "Compare it with the service's own console."
        }
    }

    /// The command that stores the same credentials.
    static func command(_ provider: PushProvider, app: AppCode) -> String {
        switch provider {
        case .apns:
            "belfry app credentials apns \(app.rawValue) --team-id ABCDE12345 --key-id FGHIJ67890 "
                + "--topic com.example.app --key AuthKey_FGHIJ67890.p8"
        case .fcm: "belfry app credentials fcm \(app.rawValue) --service-account service-account.json"
        case .webpush:
            "belfry app credentials webpush \(app.rawValue) --subject mailto:you@example.com --key vapid.pem --generate"
        }
    }
}
