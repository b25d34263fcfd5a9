import ArgumentParser
import BelfryAPI

/// Shows the audit log (ADM-1).
struct AuditCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "List every use of an admin key and every change in the console, newest first."
    )

    @OptionGroup var admin: AdminOptions
    @OptionGroup var list: ListOptions
    @Option(help: "Only the entries of the app with this code.")
    var app: String?
    @Option(help: "Only entries by this actor: root, the name of a key, or user:NAME.")
    var actor: String?
    @Option(help: "Only this action, such as campaign.launch.")
    var action: String?

    func run() async throws {
        let filter = [("app", app), ("actor", actor), ("action", action)].compactMap { name, value in
            value.map { "\(name)=\($0.pathSegment)&" }
        }.joined()
        let found: AuditListResponse = try await admin.withClient { client in
            try await list.collect(\.entries, \.cursor, pagesOf: AuditRoutes.page) { query in
                try await client.call(AuditRoutes.listAudit, query: filter + query)
            }
        }
        try admin.show(found) { answer in
            var table = TextTable("TIME", "BY", "APP", "ACTION", "TARGET")
            for entry in answer.entries {
                table.add(entry.at, entry.actor, entry.app ?? "", entry.action, entry.target ?? "")
            }
            return list.text(table, cursor: answer.cursor)
        }
    }
}
