import ArgumentParser
import BelfryAPI
import BelfryServices

extension ContactCommand {
    /// What happened to a person (CON-9).
    struct Timeline: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show what happened to a person: events, registrations, links, messages, decisions; newest first."
        )

        @OptionGroup var target: ContactTarget
        @OptionGroup var list: ListOptions
        @Option(help: "Only entries of this kind: event, registration, link, message or decision.")
        var kind: String?

        func validate() throws {
            guard let kind, TimelineKind(rawValue: kind) == nil else { return }
            let words = TimelineKind.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("--kind is one of \(words).")
        }

        func run() async throws {
            let filter = kind.map { "kind=\($0.pathSegment)&" } ?? ""
            let found = try await target.admin.withClient { client in
                try await list.collect(pagesOf: PeopleRoutes.page) { query -> ListPage<TimelineResponse.Entry> in
                    let page: TimelineResponse = try await client.call(
                        PeopleRoutes.readTimeline, target.app, target.key, query: filter + query
                    )
                    return ListPage(entries: page.entries, cursor: page.cursor)
                }
            }
            try target.admin.show(TimelineResponse(entries: found.entries, cursor: found.cursor)) { answer in
                var table = TextTable("TIME", "KIND", "WHAT", "DEVICE", "CAMPAIGN", "SENTENCE")
                for entry in answer.entries {
                    table.add(
                        entry.at, entry.kind.rawValue, entry.what, entry.deviceId ?? "", entry.campaign?.name ?? "",
                        entry.sentence
                    )
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }
}
