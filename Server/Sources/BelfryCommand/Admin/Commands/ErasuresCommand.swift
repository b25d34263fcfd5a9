import ArgumentParser
import BelfryAPI

/// Shows the receipts of erasures (ADM-4).
struct ErasuresCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erasures", abstract: "Show the receipts of erasures.",
        subcommands: [List.self, Show.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List an app's receipts of erasures, newest first.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions
        @Argument(help: "The app's code.")
        var app: String

        func run() async throws {
            let found: ErasureListResponse = try await admin.withClient { client in
                try await list.collect(\.erasures, \.cursor, pagesOf: ErasureRoutes.page) { query in
                    try await client.call(
                        ErasureRoutes.listErasures, app, query: query
                    )
                }
            }
            try admin.show(found) { answer in
                var table = TextTable("RECEIPT", "STARTED", "ENDED", "DEVICES", "EVENTS", "MESSAGES", "LEDGER")
                for entry in answer.erasures {
                    table.add(
                        entry.receipt, entry.startedAt, entry.endedAt ?? "interrupted", "\(entry.devices)",
                        "\(entry.events)", "\(entry.messages)", "\(entry.deliveries)"
                    )
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show the receipt of an erasure.")

        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Argument(help: "The receipt, as 'belfry erase' printed it.")
        var receipt: String

        func validate() throws {
            // Without a receipt the path would be that of the list.
            guard !receipt.isEmpty else { throw ValidationError("The receipt is empty.") }
        }

        func run() async throws {
            let answer: ErasureResponse = try await admin.withClient { client in
                try await client.call(ErasureRoutes.readErasure, app, receipt)
            }
            try admin.show(answer) { answer in
                TextTable.properties([
                    (name: "receipt", value: answer.receipt), (name: "contact's number", value: answer.contact),
                    (name: "started", value: answer.startedAt),
                    (name: "ended", value: answer.endedAt ?? "interrupted: repeat it"),
                    (name: "erased devices", value: "\(answer.devices)"),
                    (name: "erased events", value: "\(answer.events)"),
                    (name: "erased messages", value: "\(answer.messages)"),
                    (name: "ledger entries without the person", value: "\(answer.deliveries)"),
                ]).text
            }
        }
    }
}
