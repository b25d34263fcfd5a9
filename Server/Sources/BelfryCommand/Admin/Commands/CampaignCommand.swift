import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryServerModel

struct CampaignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "campaign",
        abstract: "Create, test, launch and follow campaigns.",
        subcommands: [
            Create.self, Update.self, List.self, Show.self, CampaignPreviewCommand.self, CampaignDryRunCommand.self,
            CampaignPreviewDraftCommand.self, CampaignRehearseCommand.self, CampaignRehearsalsCommand.self,
            CampaignRehearsalCommand.self, CampaignTestCommand.self, CampaignLaunchCommand.self,
            CampaignWatchCommand.self, Pause.self, Resume.self,
            Cancel.self, CampaignMessagesCommand.self, CampaignRecallCommand.self, CampaignDeleteCommand.self,
            CampaignRecipientsCommand.self, CampaignHoursCommand.self, CampaignVersionsCommand.self,
            CampaignVersionCommand.self, CampaignDifferencesCommand.self, CampaignRestoreCommand.self,
            CampaignProposeCommand.self, CampaignPublishCommand.self, CampaignCommentCommand.self,
            CampaignApprovalCommand.self, CampaignRequestApprovalCommand.self, CampaignApproveCommand.self,
            CampaignRejectCommand.self,
        ]
    )

    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create a campaign as a draft.",
            discussion: """
                By default it is a push campaign. With --center the message is also kept in a message center, with \
                --without-push only there. With --type, --in-app or --kind inApp it is an in-app message without a \
                push. For variants, buttons, silent pushes and everything else without an option, use --file.
                """
        )

        @OptionGroup var admin: AdminOptions
        @OptionGroup var draft: DraftOptions
        @Argument(help: "The app's code.")
        var app: String
        @Flag(help: "Launch it at once.")
        var launch = false

        func run() async throws {
            let json = try draft.json()
            let answer = try await admin.withClient { client -> CampaignStatusResponse in
                let answer = try await client.call(CampaignRoutes.createCampaign, app, json: json)
                guard launch else { return answer }
                return try await client.call(CampaignRoutes.launchCampaign, app, answer.id)
            }
            try admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue)." }
        }
    }

    struct Update: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Replace a draft or a launched in-app message. Options that you leave out are removed.",
            discussion: "A launched in-app message is published at once and replaces its former version.",
            aliases: ["edit"]
        )

        @OptionGroup var target: CampaignTarget
        @OptionGroup var draft: DraftOptions

        func run() async throws {
            let json = try draft.json()
            let answer: CampaignStatusResponse = try await target.admin.withClient { client in
                try await client.call(CampaignRoutes.updateCampaign, target.app, target.id, json: json)
            }
            try target.admin.show(answer) { "Campaign \($0.id) was replaced. It is \($0.status.rawValue)." }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List an app's campaigns, newest first.")

        @OptionGroup var admin: AdminOptions
        @OptionGroup var list: ListOptions
        @Argument var app: String
        @Option(help: "Only campaigns with this in their name, in any case.")
        var name: String?
        @Option(help: "Only campaigns of this status.")
        var status: String?
        @Option(help: "Only campaigns of this kind.")
        var kind: String?

        func run() async throws {
            let filters = [("name", name), ("status", status), ("kind", kind)].map { key, value in
                value.map { "&\(key)=\($0.pathSegment)" } ?? ""
            }
            let found: CampaignListResponse = try await admin.withClient { client in
                try await list.collect(\.campaigns, \.cursor, pagesOf: CampaignRoutes.page) { query in
                    try await client.call(
                        CampaignRoutes.listCampaigns, app, query: query + filters.joined())
                }
            }
            try admin.show(found) { answer in
                var table = TextTable("ID", "STATUS", "KIND", "NAME")
                for entry in answer.campaigns {
                    table.add(entry.id, entry.status.rawValue, entry.kind.rawValue, entry.name)
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a campaign: its content, audience, schedule and figures.",
            discussion: "What --json prints can be edited and used as --file of 'create' and 'update'."
        )

        @OptionGroup var target: CampaignTarget

        func run() async throws {
            let answer: CampaignResponse = try await target.admin.withClient { client in
                try await client.call(CampaignRoutes.readCampaign, target.app, target.id)
            }
            try target.admin.show(answer) { try $0.wholeText() }
        }
    }

    struct Pause: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Pause a campaign. Messages that were not sent yet are held back."
        )
        @OptionGroup var target: CampaignTarget
        func run() async throws { try await target.change(CampaignRoutes.pauseCampaign) }
    }

    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Resume a paused campaign.")
        @OptionGroup var target: CampaignTarget
        func run() async throws { try await target.change(CampaignRoutes.resumeCampaign) }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Cancel a campaign. Messages that were not sent yet are discarded."
        )
        @OptionGroup var target: CampaignTarget
        func run() async throws { try await target.change(CampaignRoutes.cancelCampaign) }
    }
}
