import ArgumentParser
import BelfryAPI

/// Shows the state of the server (CON-10).
struct ServerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server", abstract: "Show what waits, what has stopped, the database and its disk."
    )

    @OptionGroup var admin: AdminOptions

    func run() async throws {
        let answer: ServerStateResponse = try await admin.withClient { client in
            try await client.call(ServerRoutes.readServerState)
        }
        try admin.show(answer) { $0.text }
    }
}

extension ServerStateResponse {
    fileprivate var text: String {
        var facts = TextTable("WHAT", "VALUE")
        facts.add("readiness", readiness)
        facts.add("database", "\(database.engine) \(database.version)")
        facts.add("size", "\(database.size) bytes")
        facts.add(
            "schema",
            database.schema == database.knownSchema
                ? "\(database.schema)" : "\(database.schema), and the program knows \(database.knownSchema)")
        if let disk {
            facts.add("free disk", "\(disk.available) of \(disk.total) bytes; \(disk.floor) stay free")
        }
        facts.add("audit entries that wait", "\(auditLinesHeld)")
        var waiting = TextTable("QUEUE", "WAITING", "OLDEST")
        for (name, queue) in queues.sorted(by: { $0.key < $1.key }) {
            waiting.add(name, "\(queue.count)", queue.oldest ?? "")
        }
        var parts = [facts.text, waiting.text]
        if !halted.isEmpty || !refused.isEmpty {
            var stopped = TextTable("APP", "STOPPED", "WHY")
            for sender in refused {
                stopped.add(sender.app, "\(sender.devices) devices", "A push service has rejected the credentials.")
            }
            for campaign in halted {
                stopped.add(campaign.app, "campaign \(campaign.campaign)", campaign.reason.printable)
            }
            parts.append(stopped.text)
        }
        return parts.joined(separator: "\n\n")
    }
}
