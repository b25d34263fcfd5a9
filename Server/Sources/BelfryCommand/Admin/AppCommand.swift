import ArgumentParser
import BelfryModel
import BelfryWire
import Foundation

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Make apps and set them up.",
        // `apns` is an older spelling of `credentials apns`.
        subcommands: [
            Create.self, List.self, Settings.self, Attribute.self, Attributes.self, MessageCenters.self,
            Credentials.self, APNsCredentials.self,
        ]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Make an app and print its key.")

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The code that devices use in their addresses.")
        var code: String
        @Option(help: "The app's name for people. (default: its code)")
        var name: String?

        func run() async throws {
            let answer: CreateAppAnswer = try await admin.withClient { client in
                try await client.send(.post, "/api/v1/apps", CreateAppRequest(code: code, name: name ?? code))
            }
            try admin.show(answer) {
                "The app '\($0.code)' is made. Its key, shown this once and never for the app itself:\n\($0.apiKey)"
            }
        }
    }

    struct List: AsyncParsableCommand {
        /// The most that the server gives at once.
        private static let pageSize = 1_000

        static let configuration = CommandConfiguration(abstract: "List the apps.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions

        func run() async throws {
            let found = try await admin.withClient { client in
                try await list.collect(pagesOf: Self.pageSize) { query -> ListPage<AppListAnswer.Entry> in
                    let page: AppListAnswer = try await client.get("/api/v1/apps?\(query)")
                    return ListPage(entries: page.apps, cursor: page.cursor)
                }
            }
            try admin.show(AppListAnswer(apps: found.entries, cursor: found.cursor)) { answer in
                var table = TextTable("CODE", "NAME")
                for app in answer.apps { table.add(app.code, app.name) }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }

    struct Attribute: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Define an attribute of the app's contacts.")

        @OptionGroup var admin: AdminOptions
        @Argument var app: String
        @Argument(help: "The attribute's key.")
        var key: String
        @Argument(help: "string, number, boolean or date.")
        var type: AttributeType

        func run() async throws {
            let path = "/api/v1/apps/\(app.pathSegment)/attributes/\(key.pathSegment)"
            let answer: AttributeAnswer = try await admin.withClient { client in
                try await client.send(.put, path, DefineAttributeRequest(type: type))
            }
            try admin.show(answer) { "'\($0.key)' is a \($0.type.rawValue) now." }
        }
    }

    struct APNsCredentials: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "apns", abstract: "Set the credentials for Apple's push service."
        )

        @OptionGroup var admin: AdminOptions
        @Argument var app: String
        @Option(help: "Ten characters, from the developer site.")
        var teamId: String
        @Option(help: "Ten characters: the key's id.")
        var keyId: String
        @Option(help: "The app's bundle id.")
        var topic: String
        @Option(help: "The .p8 file.", completion: .file(extensions: ["p8"]))
        var key: String
        @Option(help: "Another production endpoint, such as a simulator's.")
        var endpoint: String?
        @Option(help: "Another sandbox endpoint.")
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
            let answer: APNsCredentialsAnswer = try await admin.withClient { client in
                try await client.send(.put, "/api/v1/apps/\(app.pathSegment)/credentials/apns", request)
            }
            try admin.show(answer) { "The app sends as \($0.topic) with the key \($0.keyId) of team \($0.teamId)." }
        }
    }
}

extension AttributeType: @retroactive ExpressibleByArgument {}
