import ArgumentParser
import BelfryWire

/// Work that is set aside (SEC-8).
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine", abstract: "Look at work that the server has set aside, retry or drop it.",
        discussion: """
            What was begun alone three times, and failed or ended the server each time, is set aside, and the rest goes \
            on: a registration, a batch or the planning of a campaign, a silent push, a step of the upkeep.
            """,
        subcommands: [List.self, Retry.self, Drop.self]
    )

    struct List: AsyncParsableCommand {
        /// The most that the server gives at once.
        private static let pageSize = 1_000

        static let configuration = CommandConfiguration(abstract: "List what is set aside, newest first.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions

        func run() async throws {
            let found = try await admin.withClient { client in
                try await list.collect(pagesOf: Self.pageSize) { query -> ListPage<QuarantineAnswer.Entry> in
                    let page: QuarantineAnswer = try await client.get("/api/v1/quarantine?\(query)")
                    return ListPage(entries: page.work, cursor: page.cursor)
                }
            }
            try admin.show(QuarantineAnswer(work: found.entries, cursor: found.cursor)) { answer in
                guard !answer.work.isEmpty else { return "Nothing is in quarantine." }
                var table = TextTable("ID", "APP", "SINCE", "REASON")
                for work in answer.work { table.add(work.id, work.app ?? "", work.since, work.reason) }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let the server try it again: alone, and counted from the beginning."
        )

        @OptionGroup var target: Target

        func run() async throws {
            try await target.admin.withClient { client in try await client.post("\(target.path)/retry") }
            if !target.admin.json { print("\(target.id.printable) will be tried again.") }
        }
    }

    struct Drop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Give it up for good.",
            discussion: """
                Messages of a batch that are pending end as rejected, a campaign whose planning is dropped is \
                cancelled, a silent push is not sent, a registration stays refused.
                """
        )

        @OptionGroup var target: Target

        func run() async throws {
            try await target.admin.withClient { client in try await client.delete(target.path) }
            if !target.admin.json { print("\(target.id.printable) is dropped.") }
        }
    }

    /// One piece of work.
    struct Target: ParsableArguments {
        @OptionGroup var admin: AdminOptions
        @Argument(help: "Its id, as 'belfry quarantine list' shows it.")
        var id: String

        func validate() throws {
            // Without an id the address would be the list's.
            guard !id.isEmpty else { throw ValidationError("The id of the work is empty.") }
        }

        var path: String { "/api/v1/quarantine/\(id.pathSegment)" }
    }
}
