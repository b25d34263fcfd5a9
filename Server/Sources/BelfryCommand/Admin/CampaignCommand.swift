import ArgumentParser
import BelfryModel
import BelfryWire
import Foundation

struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Compose, launch and follow campaigns.",
        subcommands: [
            Create.self, List.self, Show.self, Launch.self, Pause.self, Resume.self, Cancel.self,
        ]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Compose a push campaign; it stays a draft.")

        @OptionGroup var admin: AdminOptions
        @Argument var app: String
        @Option var name: String?
        @Option var title: String
        @Option var body: String
        @Option(help: "Who gets it, as a predicate in JSON. (default: {\"everyone\":true})")
        var audience: String?
        @Option(help: "Who gets it: contacts with this tag.")
        var tag: String?
        @Option(help: "What opening it opens: a deep link or web address.")
        var url: String?
        @Flag(help: "Launch it at once.")
        var launch = false

        func validate() throws {
            guard audience == nil || tag == nil else {
                throw ValidationError("Give --audience or --tag, not both.")
            }
        }

        func run() async throws {
            let client = try admin.client()
            let request = CampaignRequest(
                name: name ?? title, kind: .push, audience: try condition(),
                push: PushContent(
                    title: title, body: body, action: url.map { NotificationAction(type: .openUrl, url: $0) }
                )
            )
            let base = "/api/v1/apps/\(app.pathSegment)/campaigns"
            var answer: CampaignStatusAnswer = try await client.send(.post, base, request)
            if launch {
                answer = try await client.send(.post, "\(base)/\(answer.id)/launch", String?.none)
            }
            try admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue)." }
        }

        private func condition() throws -> Condition {
            if let tag { return .tag(tag) }
            guard let audience else { return .everyone }
            return try JSONDecoder().decode(Condition.self, from: Data(audience.utf8))
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List an app's campaigns, newest first.")

        @OptionGroup var admin: AdminOptions
        @Argument var app: String

        func run() async throws {
            let answer: CampaignListAnswer = try await admin.client().get("/api/v1/apps/\(app.pathSegment)/campaigns")
            try admin.show(answer) { answer in
                var table = TextTable("ID", "STATUS", "KIND", "NAME")
                for entry in answer.campaigns {
                    table.add(entry.id, entry.status.rawValue, entry.kind.rawValue, entry.name)
                }
                return table.text
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a campaign and its figures.")

        @OptionGroup var admin: AdminOptions
        @Argument var app: String
        @Argument var id: String

        func run() async throws {
            let answer: CampaignAnswer = try await admin.client().get(
                "/api/v1/apps/\(app.pathSegment)/campaigns/\(id.pathSegment)"
            )
            try admin.show(answer, Self.text)
        }

        static func text(_ answer: CampaignAnswer) -> String {
            let counts = answer.counts
            var table = TextTable("FIGURE", "DEVICES")
            table.add("audience", "\(counts.audience)")
            table.add("pending", "\(counts.pending)")
            table.add("accepted", "\(counts.accepted)")
            table.add("suppressed", "\(counts.suppressed)")
            table.add("rejected", "\(counts.rejected)")
            table.add("cancelled", "\(counts.cancelled)")
            table.add("displayed", "\(counts.displayed)")
            table.add("opened", "\(counts.opened)")
            let reason = answer.statusReason.map { "\n\($0)" } ?? ""
            return "Campaign \(answer.id) '\(answer.name)' is \(answer.status.rawValue).\(reason)\n\n\(table.text)"
        }
    }

    struct Launch: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Launch a draft.")
        @OptionGroup var target: Target
        func run() async throws { try await target.change("launch") }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Hold what is not sent yet.")
        @OptionGroup var target: Target
        func run() async throws { try await target.change("pause") }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Go on with a paused campaign.")
        @OptionGroup var target: Target
        func run() async throws { try await target.change("resume") }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "End a campaign; what is not sent yet never is.")
        @OptionGroup var target: Target
        func run() async throws { try await target.change("cancel") }
    }

    /// One campaign of one app, to be launched, paused, resumed or cancelled.
    struct Target: ParsableArguments {
        @OptionGroup var admin: AdminOptions
        @Argument var app: String
        @Argument var id: String

        func change(_ verb: String) async throws {
            let answer: CampaignStatusAnswer = try await admin.client().send(
                .post, "/api/v1/apps/\(app.pathSegment)/campaigns/\(id.pathSegment)/\(verb)", String?.none
            )
            try admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue)." }
        }
    }
}
