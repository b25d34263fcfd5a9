import ArgumentParser
import BelfryAPI

/// Lists, retries and drops quarantined work (SEC-8).
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "List, retry and drop quarantined work.",
        discussion: """
            Work that failed or crashed the server three times, each time alone, is quarantined, so that other work \
            can continue: a registration, a batch or the planning of a campaign, a silent push, a maintenance step, \
            what follows a change of attributes or of a contact.
            """,
        subcommands: [List.self, Retry.self, Drop.self]
    )

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List quarantined work, newest first.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions

        func run() async throws {
            let found: QuarantineResponse = try await admin.withClient { client in
                try await list.collect(\.work, \.cursor, pagesOf: QuarantineRoutes.page) { query in
                    try await client.call(QuarantineRoutes.listQuarantine, query: query)
                }
            }
            try admin.show(found) { response in
                guard !response.work.isEmpty else { return "Nothing is in quarantine." }
                var table = TextTable("ID", "APP", "SINCE", "REASON")
                for work in response.work { table.add(work.id, work.app ?? "", work.since, work.reason) }
                return list.text(table, cursor: response.cursor)
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Retry the work: alone, with its attempts reset."
        )

        @OptionGroup var target: Target

        func run() async throws {
            try await target.admin.withClient { client in try await client.call(QuarantineRoutes.retryWork, target.id) }
            if !target.admin.json { print("\(target.id.printable) will be retried.") }
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Drop the work for good.",
            discussion: """
                Pending messages of a batch end as rejected. A campaign whose planning is dropped is cancelled. A \
                silent push is not sent. A registration stays rejected. A review of attributes continues after the \
                place where it failed.
                """
        )

        @OptionGroup var target: Target

        func run() async throws {
            try await target.admin.withClient { client in try await client.call(QuarantineRoutes.dropWork, target.id) }
            if !target.admin.json { print("\(target.id.printable) was dropped.") }
        }
    }

    /// The argument that names one piece of quarantined work.
    struct Target: ParsableArguments {
        @OptionGroup var admin: AdminOptions
        @Argument(help: "The id of the work, from 'belfry quarantine list'.")
        var id: String

        func validate() throws {
            // Without an id the path would be that of the list.
            guard !id.isEmpty else { throw ValidationError("The id of the work is empty.") }
        }
    }
}
