import ArgumentParser
import BelfryAPI
import BelfryServices

/// Shows the history of a person (CON-9).
struct ContactTimelineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "timeline",
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
        let found: TimelineResponse = try await target.admin.withClient { client in
            try await list.collect(\.entries, \.cursor, pagesOf: PeopleRoutes.page) { query in
                try await client.call(
                    PeopleRoutes.readTimeline, target.app, target.key, query: filter + query
                )
            }
        }
        try target.admin.show(found) { answer in
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
