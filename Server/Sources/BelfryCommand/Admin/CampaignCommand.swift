import ArgumentParser
import BelfryModel
import BelfryWire

struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Compose, try, launch and follow campaigns.",
        subcommands: [
            Create.self, Update.self, List.self, Show.self, Preview.self, DryRun.self, TestSend.self, Launch.self,
            Watch.self, Pause.self, Resume.self, Cancel.self, Recall.self, Delete.self,
        ]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compose a campaign; it stays a draft.",
            discussion: """
                The options make a push campaign; with --center it is kept in a message center, too, and with \
                --without-push there only. With --type, --in-app or --kind inApp it shows in the app, and nobody is \
                notified. Variants, buttons, silent pushes and whatever else has no option come with --file.
                """
        )

        @OptionGroup var admin: AdminOptions
        @OptionGroup var draft: DraftOptions
        @Argument(help: "The app's code.")
        var app: String
        @Flag(help: "Launch it at once.")
        var launch = false

        func run() async throws {
            let base = "/api/v1/apps/\(app.pathSegment)/campaigns"
            let json = try draft.json()
            let answer = try await admin.withClient { client -> CampaignStatusAnswer in
                let answer: CampaignStatusAnswer = try await client.send(.post, base, json: json)
                guard launch else { return answer }
                return try await client.send(.post, "\(base)/\(answer.id)/launch", String?.none)
            }
            try admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue)." }
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compose a draft anew, or a launched in-app message: what is not said any more is gone.",
            discussion: "An in-app message that is launched is published at once, in place of the one before.",
            aliases: ["edit"]
        )

        @OptionGroup var target: Target
        @OptionGroup var draft: DraftOptions

        func run() async throws {
            let json = try draft.json()
            let answer: CampaignStatusAnswer = try await target.admin.withClient { client in
                try await client.send(.put, target.path, json: json)
            }
            try target.admin.show(answer) { "Campaign \($0.id) is replaced; it is \($0.status.rawValue)." }
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

        @OptionGroup var target: Target

        func run() async throws {
            let answer: CampaignAnswer = try await target.admin.withClient { client in
                try await client.get(target.path)
            }
            try target.admin.show(answer) { $0.text }
        }
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

    /// One campaign of one app.
    struct Target: ParsableArguments {
        @OptionGroup var admin: AdminOptions
        @Argument(help: "The app's code.")
        var app: String
        @Argument(help: "The campaign's id.")
        var id: String

        func validate() throws {
            // Without an id the address would be the list's.
            guard !id.isEmpty else { throw ValidationError("The campaign's id is empty.") }
        }

        var path: String { "/api/v1/apps/\(app.pathSegment)/campaigns/\(id.pathSegment)" }

        /// Launches, pauses, resumes or cancels it.
        func change(_ verb: String) async throws {
            let answer: CampaignStatusAnswer = try await admin.withClient { client in
                try await client.send(.post, "\(path)/\(verb)", String?.none)
            }
            try admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue)." }
        }
    }
}

extension CampaignAnswer {
    /// Where it stands, in a sentence and in figures.
    var text: String {
        var table = TextTable("FIGURE", "DEVICES")
        table.add("audience", "\(counts.audience)")
        table.add("pending", "\(counts.pending)")
        table.add("accepted", "\(counts.accepted)")
        table.add("suppressed", "\(counts.suppressed)")
        table.add("rejected", "\(counts.rejected)")
        table.add("cancelled", "\(counts.cancelled)")
        table.add("displayed", "\(counts.displayed)")
        table.add("opened", "\(counts.opened)")
        if let message = messageCenterCounts {
            table.add("displayed in the center", "\(message.displayedBy)")
            table.add("opened in the center", "\(message.openedBy)")
        }
        if let message = inAppCounts {
            table.add("displayed in the app", "\(message.displayedBy)")
            table.add("clicked in the app", "\(message.clickedBy)")
        }
        var lines = ["Campaign \(id) '\(name.printable)' is \(status.rawValue)."]
        if status == .scheduled, let scheduledAt { lines.append("It begins at \(scheduledAt).") }
        if let statusReason { lines.append(statusReason.printable) }
        if let message = messageCenterCounts {
            lines.append("Its message was displayed \(message.displays) times and opened \(message.opens) times.")
        }
        lines += inAppLines
        return (lines + ["", table.text]).joined(separator: "\n")
    }

    private var inAppLines: [String] {
        var lines: [String] = []
        if let deletedAt { lines.append("It was deleted at \(deletedAt).") }
        if let recalledAt { lines.append("Its message was taken back from devices at \(recalledAt).") }
        guard let message = inAppCounts else { return lines }
        lines.append(
            """
            Its message (version \(inAppVersion ?? 1)) was displayed \(message.displays) times, clicked \
            \(message.clicks) times and dismissed \(message.dismissals) times.
            """
        )
        let clicks = message.clicksByButton.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !clicks.isEmpty {
            lines.append("Clicks: " + clicks.map { "\($0.key.printable) \($0.value)" }.joined(separator: ", ") + ".")
        }
        let reasons = message.notShown.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        if !reasons.isEmpty {
            let texts = reasons.map { "\($0.key.printable) \($0.value)" }
            lines.append("Not shown: " + texts.joined(separator: ", ") + ".")
        }
        return lines
    }
}
