import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryPush
import BelfryServices
import Foundation

/// The credentials of push services.
struct AppCredentialsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "credentials",
        abstract: "Set, list and remove the credentials of push services.",
        subcommands: [APNs.self, FCM.self, WebPush.self, List.self, Remove.self]
    )

    struct APNs: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apns", abstract: "Set the credentials for Apple's push service."
        )

        @OptionGroup var admin: AdminOptions
        @Argument var app: String
        @Option(help: "The team id: ten characters, from Apple's developer site.")
        var teamId: String
        @Option(help: "The id of the key: ten characters.")
        var keyId: String
        @Option(help: "The app's bundle id.")
        var topic: String
        @Option(help: "The .p8 file.", completion: .file(extensions: ["p8"]))
        var key: String
        @Option(help: "The production endpoint to use instead of Apple's, such as a simulator's.")
        var endpoint: String?
        @Option(help: "The sandbox endpoint to use instead of Apple's.")
        var sandboxEndpoint: String?
        @Option(help: "A PEM file with the certificates to trust instead of the system's.")
        var trustRoots: String?

        func run() async throws {
            let request = APNsCredentialsRequest(
                teamId: teamId, keyId: keyId, topic: topic,
                privateKey: try InputFile(key, option: "--key").text(), endpoint: endpoint,
                sandboxEndpoint: sandboxEndpoint,
                trustRoots: try trustRoots.map { try InputFile($0, option: "--trust-roots").text() }
            )
            let answer: APNsCredentialsResponse = try await admin.withClient { client in
                try await client.call(CredentialRoutes.putAPNsCredentials, app, body: request)
            }
            try admin.show(answer) { "The app sends as \($0.topic) with the key \($0.keyId) of team \($0.teamId)." }
        }
    }

    struct FCM: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "fcm", abstract: "Set the credentials for Firebase Cloud Messaging."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Option(
            help: "The JSON file of a service account, from the Firebase console. '-' is standard input.",
            completion: .file(extensions: ["json"])
        )
        var serviceAccount: String
        @Option(help: "The endpoint to use instead of Google's, such as a simulator's.")
        var endpoint: String?
        @Option(help: "A PEM file with the certificates to trust instead of the system's.")
        var trustRoots: String?

        func run() async throws {
            let request = FCMCredentialsRequest(
                serviceAccount: try InputFile(serviceAccount, option: "--service-account").text(),
                endpoint: endpoint,
                trustRoots: try trustRoots.map { try InputFile($0, option: "--trust-roots").text() }
            )
            let answer: FCMCredentialsResponse = try await admin.withClient { client in
                try await client.call(CredentialRoutes.putFCMCredentials, app, body: request)
            }
            try admin.show(answer) { "The app sends for the project \($0.projectId) as \($0.clientEmail)." }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show which credentials are stored, without secrets."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String

        func run() async throws {
            let answer: CredentialListResponse = try await admin.withClient { client in
                try await client.call(CredentialRoutes.listCredentials, app)
            }
            try admin.show(answer) { $0.table.text }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove credentials. Nothing is sent through that push service any more."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Argument(help: "apns, fcm or webpush.")
        var service: PushProvider

        func run() async throws {
            try await admin.withClient { client in
                try await client.call(CredentialRoutes.removeCredentials(of: service), app)
            }
            if !admin.json { print("The app's credentials for \(service.rawValue) were removed.") }
        }
    }
}

extension CredentialListResponse {
    var table: TextTable {
        var table = TextTable("SERVICE", "SENDS AS", "SINCE")
        func add<Facts>(_ service: PushProvider, _ entry: Entry<Facts>?, _ text: (Facts) -> String) {
            guard let entry else { return }
            let facts = entry.facts.map(text) ?? "cannot be decrypted with the server's secret key: set them again"
            table.add(service.rawValue, facts, entry.updatedAt)
        }
        add(.apns, apns) { "\($0.topic), key \($0.keyId) of team \($0.teamId)" }
        add(.fcm, fcm) { "\($0.clientEmail), project \($0.projectId)" }
        add(.webpush, webpush) { "\($0.subject), public key \($0.publicKey)" }
        return table
    }
}

extension PushProvider: @retroactive ExpressibleByArgument {}
