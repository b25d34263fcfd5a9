import ArgumentParser
import BelfryAPI
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
        @Option(help: "Who gets it: a file with the predicate; '-' is standard input.", completion: .file())
        var audienceFile: String?
        @Option(help: "Who gets it: contacts with this tag.")
        var tag: String?
        @Option(help: "What opening it opens: a deep link or web address.")
        var url: String?
        @Flag(help: "Launch it at once.")
        var launch = false

        func validate() throws {
            guard [audience, audienceFile, tag].count(where: { $0 != nil }) <= 1 else {
                throw ValidationError("Give one of --audience, --audience-file and --tag.")
            }
            guard let audience else { return }
            do {
                try JSONInput.check(Array(audience.utf8))
            } catch {
                throw ValidationError("--audience \(error).")
            }
        }

        func run() async throws {
            let base = "/api/v1/apps/\(app.pathSegment)/campaigns"
            let draft = try draft()
            let answer = try await admin.withClient { client -> CampaignStatusAnswer in
                let answer: CampaignStatusAnswer = try await client.send(.post, base, json: draft)
                guard launch else { return answer }
                return try await client.send(.post, "\(base)/\(answer.id)/launch", String?.none)
            }
            try admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue)." }
        }

        /// As ``BelfryWire/CampaignRequest``. The audience goes out as it was written: read and written anew, it would
        /// lose what this version does not know, and reach more people than it says.
        private func draft() throws -> Data {
            let content = PushContent(
                title: title, body: body, action: url.map { NotificationAction(type: .openUrl, url: $0) }
            )
            var text = JSONWriter()
            text.literal("{")
            text.key("name")
            text.string(name ?? title)
            text.literal(",")
            text.key("kind")
            text.string(CampaignKind.push.rawValue)
            text.literal(",")
            text.key("audience")
            text.raw(try predicate())
            text.literal(",")
            text.key("push")
            text.raw(try JSONEncoder().encode(content))
            text.literal("}")
            return Data(text.bytes)
        }

        private func predicate() throws -> Data {
            if let audience { return Data(audience.utf8) }
            if let audienceFile { return try InputFile(audienceFile, option: "--audience-file").json() }
            return try JSONEncoder().encode(tag.map { Condition.tag($0) } ?? .everyone)
        }
    }

    struct List: AsyncParsableCommand {
        /// The most that the server gives at once.
        private static let pageSize = 200

        static let configuration = CommandConfiguration(abstract: "List an app's campaigns, newest first.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions
        @Argument var app: String

        func run() async throws {
            let address = "/api/v1/apps/\(app.pathSegment)/campaigns"
            let found = try await admin.withClient { client in
                try await list.collect(pagesOf: Self.pageSize) { query -> ListPage<CampaignListAnswer.Entry> in
                    let page: CampaignListAnswer = try await client.get("\(address)?\(query)")
                    return ListPage(entries: page.campaigns, cursor: page.cursor)
                }
            }
            try admin.show(CampaignListAnswer(campaigns: found.entries, cursor: found.cursor)) { answer in
                var table = TextTable("ID", "STATUS", "KIND", "NAME")
                for entry in answer.campaigns {
                    table.add(entry.id, entry.status.rawValue, entry.kind.rawValue, entry.name)
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Show a campaign and its figures.")

        @OptionGroup var admin: AdminOptions
        @Argument var app: String
        @Argument var id: String

        func run() async throws {
            let answer: CampaignAnswer = try await admin.withClient { client in
                try await client.get("/api/v1/apps/\(app.pathSegment)/campaigns/\(id.pathSegment)")
            }
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
            return
                "Campaign \(answer.id) '\(answer.name.printable)' is \(answer.status.rawValue).\(reason)\n\n\(table.text)"
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
            let path = "/api/v1/apps/\(app.pathSegment)/campaigns/\(id.pathSegment)/\(verb)"
            let answer: CampaignStatusAnswer = try await admin.withClient { client in
                try await client.send(.post, path, String?.none)
            }
            try admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue)." }
        }
    }
}
