import ArgumentParser
import BelfryAPI
import BelfryServerModel
import BelfryServices

/// The admin keys of an app (ADM-6).
struct AppKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Create, list and revoke the admin keys of an app.",
        subcommands: [Create.self, List.self, Revoke.self]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create an admin key and print it. It is shown only once."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Option(help: "What the key may do; each scope includes those before it.")
        var scope: AdminScope
        @Option(help: "What the key is for.")
        var label: String?
        @Option(
            help: """
                When the key expires: 2027-12-01T09:00:00Z, or without an offset in the app's time zone. \
                (default: never)
                """
        )
        var expires: String?

        func run() async throws {
            var request = CreateAdminKeyRequest(scope: scope, label: label)
            request.$expiresAt = ZonedDate(asWritten: expires)
            let body = request
            let answer: CreateAdminKeyResponse = try await admin.withClient { client in
                try await client.call(AdminKeyRoutes.createAdminKey, app, body: body)
            }
            try admin.show(answer) { key in
                let end = key.expiresAt.map { " until \($0)" } ?? ""
                return "Created \(key.id) with the scope '\(key.scope.rawValue)'\(end). The key is shown only once; do "
                    + "not put it into an app:\n\(key.apiKey)"
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the admin keys of an app without their secrets, newest first."
        )

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions
        @Argument(help: "The app's code.")
        var app: String

        func run() async throws {
            let found: AdminKeyListResponse = try await admin.withClient { client in
                try await list.collect(\.keys, \.cursor, pagesOf: AdminKeyRoutes.page) { query in
                    try await client.call(
                        AdminKeyRoutes.listAdminKeys, app, query: query
                    )
                }
            }
            try admin.show(found) { answer in
                var table = TextTable("ID", "SCOPE", "LABEL", "CREATED", "EXPIRES", "REVOKED")
                for key in answer.keys {
                    table.add(
                        key.id, key.scope?.rawValue ?? "none", key.label ?? "", key.createdAt, key.expiresAt ?? "never",
                        key.revokedAt ?? ""
                    )
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke an admin key. It is refused from then on."
        )

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Argument(help: "The key's id, from 'belfry app key list'.")
        var id: String

        func validate() throws {
            guard !id.isEmpty else { throw ValidationError("The key's id is empty.") }
        }

        func run() async throws {
            try await admin.withClient { client in try await client.call(AdminKeyRoutes.revokeAdminKey, app, id) }
            try admin.show(RevokedKey(id: id)) { "\($0.id.printable) was revoked." }
        }
    }
}

/// The JSON output, because the API's response has no body.
private struct RevokedKey: Encodable {
    let id: String
}

extension AdminScope: ExpressibleByArgument {}
