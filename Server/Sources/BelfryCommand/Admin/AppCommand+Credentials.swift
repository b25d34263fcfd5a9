import ArgumentParser
import BelfryModel
import BelfryPush
import BelfryServices
import BelfryWire
import Foundation

extension AppCommand {
    /// The credentials of push services.
    struct Credentials: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Set, list and remove the credentials of push services.",
            subcommands: [APNsCredentials.self, FCM.self, WebPush.self, List.self, Remove.self]
        )

        static func path(_ app: String, _ provider: PushProvider? = nil) -> String {
            "/api/v1/apps/\(app.pathSegment)/credentials" + (provider.map { "/\($0.rawValue)" } ?? "")
        }

        struct FCM: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                commandName: "fcm", abstract: "Set the credentials for Firebase Cloud Messaging."
            )

            @OptionGroup var admin: AdminOptions
            @Argument(help: "The app's code.")
            var app: String
            @Option(
                help: "The JSON file of a service account, from the Firebase console; '-' is standard input.",
                completion: .file(extensions: ["json"])
            )
            var serviceAccount: String
            @Option(help: "Another endpoint, such as a simulator's.")
            var endpoint: String?
            @Option(help: "A PEM file with the certificates to trust instead of the system's.")
            var trustRoots: String?

            func run() async throws {
                let request = FCMCredentialsRequest(
                    serviceAccount: try InputFile(serviceAccount, option: "--service-account").text(),
                    endpoint: endpoint,
                    trustRoots: try trustRoots.map { try InputFile($0, option: "--trust-roots").text() }
                )
                let answer: FCMCredentialsAnswer = try await admin.withClient { client in
                    try await client.send(.put, Credentials.path(app, .fcm), request)
                }
                try admin.show(answer) { "The app sends for the project \($0.projectId) as \($0.clientEmail)." }
            }
        }

        struct List: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Show which credentials are stored; no secret is among it."
            )

            @OptionGroup var admin: AdminOptions
            @Argument(help: "The app's code.")
            var app: String

            func run() async throws {
                let answer: CredentialListAnswer = try await admin.withClient { client in
                    try await client.get(Credentials.path(app))
                }
                try admin.show(answer) { $0.table.text }
            }
        }

        struct Remove: AsyncParsableCommand {
            static let configuration = CommandConfiguration(
                abstract: "Remove credentials: from then on nothing is sent by that service."
            )

            @OptionGroup var admin: AdminOptions
            @Argument(help: "The app's code.")
            var app: String
            @Argument(help: "apns, fcm or webpush.")
            var service: PushProvider

            func run() async throws {
                try await admin.withClient { client in try await client.delete(Credentials.path(app, service)) }
                if !admin.json { print("The app has no credentials for \(service.rawValue) any more.") }
            }
        }
    }
}

extension CredentialListAnswer {
    var table: TextTable {
        var table = TextTable("SERVICE", "SENDS AS", "SINCE")
        func add<Facts>(_ service: PushProvider, _ entry: Entry<Facts>?, _ text: (Facts) -> String) {
            guard let entry else { return }
            let facts = entry.facts.map(text) ?? "cannot be opened with the server's secret key: put them again"
            table.add(service.rawValue, facts, entry.updatedAt)
        }
        add(.apns, apns) { "\($0.topic), key \($0.keyId) of team \($0.teamId)" }
        add(.fcm, fcm) { "\($0.clientEmail), project \($0.projectId)" }
        add(.webpush, webpush) { "\($0.subject), public key \($0.publicKey)" }
        return table
    }
}

extension PushProvider: @retroactive ExpressibleByArgument {}
