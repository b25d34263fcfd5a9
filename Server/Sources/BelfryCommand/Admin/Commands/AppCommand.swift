import ArgumentParser
import BelfryAPI
import BelfryModel

struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "Create apps and configure them.",
        // `apns` is an older spelling of `credentials apns`.
        subcommands: [
            Create.self, List.self, AppSettingsCommand.self, Attribute.self, Attributes.self,
            AppMessageCentersCommand.self, AppCredentialsCommand.self, AppCredentialsCommand.APNs.self,
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

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the apps.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions

        func run() async throws {
            let found = try await admin.withClient { client in
                try await list.collect(pagesOf: AppRoutes.page) { query -> ListPage<AppListResponse.Entry> in
                    let page: AppListResponse = try await client.call(AppRoutes.listApps, query: query)
                    return ListPage(entries: page.apps, cursor: page.cursor)
                }
            }
            try admin.show(AppListResponse(apps: found.entries, cursor: found.cursor)) { answer in
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
            let answer: AttributeResponse = try await admin.withClient { client in
                try await client.call(
                    AttributeRoutes.defineAttribute, app, key, body: DefineAttributeRequest(type: type))
            }
            try admin.show(answer) { "Defined '\($0.key)' as \($0.type.rawValue)." }
        }
    }
}

extension AttributeType: @retroactive ExpressibleByArgument {}

extension AppCommand {
    /// The schema of the app's attributes (REG-25).
    struct Attributes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the attributes defined for the app's contacts, by name."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String

        func run() async throws {
            let answer: AttributeListResponse = try await admin.withClient { client in
                try await client.call(AttributeRoutes.listAttributes, app)
            }
            try admin.show(answer) { answer in
                var table = TextTable("KEY", "TYPE")
                for attribute in answer.attributes { table.add(attribute.key, attribute.type.rawValue) }
                return table.text
            }
        }
    }
}
