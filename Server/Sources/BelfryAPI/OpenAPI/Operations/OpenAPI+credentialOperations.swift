import BelfryModel

extension OpenAPI {
    /// The admin API: the credentials of push services.
    static let credentialOperations: [Operation] =
        [
            listCredentials,
            put("APNs", .apns, "Store the credentials for APNs", "The key of an Apple developer team."),
            put("FCM", .fcm, "Store the credentials for FCM", "A Google service account."),
            put("WebPush", .webpush, "Store the key pair for Web Push", "A VAPID key pair (RFC 8292)."),
        ] + [("APNs", .apns), ("FCM", .fcm), ("WebPush", .webpush)].map(remove)

    private static let listCredentials = Operation(
        method: .get, path: "\(app)/credentials", id: "listCredentials", area: .apps, access: .admin(.read),
        summary: "List the credentials of push services", description: "What may be shown of them.",
        answers: [.ok("CredentialListAnswer", "Those that are stored.")], faults: [.notFound]
    )

    private static func put(
        _ name: String, _ provider: PushProvider, _ summary: String, _ description: String
    ) -> Operation {
        Operation(
            method: .put, path: "\(app)/credentials/\(provider.rawValue)", id: "put\(name)Credentials", area: .apps,
            access: .admin(.admin), summary: summary,
            description: "\(description) They are sealed and never read back. Opt-outs that wrong ones had caused are "
                + "lifted.",
            body: Operation.Body("\(name)CredentialsRequest"),
            answers: [.ok("\(name)CredentialsAnswer", "They are stored.")], faults: [.notFound]
        )
    }

    private static func remove(_ name: String, _ provider: PushProvider) -> Operation {
        Operation(
            method: .delete, path: "\(app)/credentials/\(provider.rawValue)", id: "remove\(name)Credentials",
            area: .apps, access: .admin(.admin), summary: "Remove the credentials for \(provider.rawValue)",
            description: "From then on nothing is sent by that service.",
            answers: [.done("They are gone.")], faults: [.notFound]
        )
    }
}
