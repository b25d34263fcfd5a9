import ArgumentParser
import BelfryAPI
import BelfryModel

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Create apps and configure them.",
        // `apns` is an older spelling of `credentials apns`.
        subcommands: [
            Create.self, List.self, Rename.self, AppKeyCommand.self, AppSettingsCommand.self, Attribute.self,
            DefineAttributes.self,
            RemoveAttribute.self, Attributes.self, AppMessageCentersCommand.self, AppCredentialsCommand.self,
            AppCredentialsCommand.APNs.self, AppWebCommand.self,
        ]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Create an app and print its API key.")

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code: devices use it in request URLs.")
        var code: String
        @Option(help: "The display name of the app. (default: its code)")
        var name: String?

        func run() async throws {
            let answer: CreateAppResponse = try await admin.withClient { client in
                try await client.call(AppRoutes.createApp, body: CreateAppRequest(code: code, name: name ?? code))
            }
            try admin.show(answer) {
                "Created the app '\($0.code)'. Its API key is shown only once; do not put it into the app:\n"
                    + $0.apiKey
            }
        }
    }

    struct Rename: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Give an app another name. Its code stays.")

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Argument(help: "The new name.")
        var name: String

        func run() async throws {
            try await admin.withClient { client in
                try await client.call(AppRoutes.renameApp, app, body: RenameAppRequest(name: name))
            }
            try admin.show(RenameAppRequest(name: name)) { "The app '\(app)' is called \($0.name.printable) now." }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the apps.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions

        func run() async throws {
            let found: AppListResponse = try await admin.withClient { client in
                try await list.collect(\.apps, \.cursor, pagesOf: AppRoutes.page) { query in
                    try await client.call(AppRoutes.listApps, query: query)
                }
            }
            try admin.show(found) { answer in
                var table = TextTable("CODE", "NAME")
                for app in answer.apps { table.add(app.code, app.name) }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }
}
