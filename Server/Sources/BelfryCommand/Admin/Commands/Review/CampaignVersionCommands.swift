import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation

/// Lists a campaign's versions, one for each edit (CON-5).
struct CampaignVersionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "versions", abstract: "List the versions of a campaign, newest first."
    )

    @OptionGroup var target: CampaignTarget
    @OptionGroup var list: ListOptions

    func run() async throws {
        let found: CampaignVersionListResponse = try await target.admin.withClient { client in
            try await list.collect(\.versions, \.cursor, pagesOf: CampaignVersionRoutes.page) { query in
                try await client.call(
                    CampaignVersionRoutes.listVersions, target.app, target.id, query: query
                )
            }
        }
        try target.admin.show(found) { answer in
            var table = TextTable("VERSION", "SAVED", "BY", "STATE")
            for version in answer.versions {
                table.add(
                    "\(version.version)", version.savedAt, version.author.words,
                    version.isPublished ? "" : "waits to be published"
                )
            }
            return list.text(table, cursor: answer.cursor)
        }
    }
}

struct CampaignVersionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version", abstract: "Show the content of a version of a campaign.",
        discussion: "The member 'content' of what --json prints can be used as --file of 'create' and 'update'."
    )

    @OptionGroup var target: CampaignTarget
    @Argument(help: "The version.")
    var version: Int64

    func run() async throws {
        let answer: CampaignVersionContentResponse = try await target.admin.withClient { client in
            try await client.call(CampaignVersionRoutes.readVersion, target.app, target.id, "\(version)")
        }
        try target.admin.show(answer) { answer in
            let version = answer.version
            let state = version.isPublished ? "" : ", which waits to be published"
            let author = version.author.words
            let saved = "Version \(version.version)\(state), saved at \(version.savedAt)"
            let head = author.isEmpty ? "\(saved)." : "\(saved) by \(author.printable)."
            return "\(head)\n\n\(try answer.content.contentTable().text)"
        }
    }
}

struct CampaignDifferencesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "differences", abstract: "Show how a version differs from another one.",
        aliases: ["diff"]
    )

    @OptionGroup var target: CampaignTarget
    @Argument(help: "The version.")
    var version: Int64
    @Option(help: "The version to compare with. (default: the one before)")
    var from: Int64?

    func run() async throws {
        let answer: CampaignDifferencesResponse = try await target.admin.withClient { client in
            try await client.call(
                CampaignVersionRoutes.compareVersions, target.app, target.id, "\(version)",
                query: from.map { "from=\($0)" } ?? ""
            )
        }
        try target.admin.show(answer) { answer in
            guard !answer.differences.isEmpty else { return "The two versions have the same content." }
            var table = TextTable("FIELD", "BEFORE", "NOW")
            for part in answer.differences {
                table.add(part.field.printable, Self.cell(part.old), Self.cell(part.new))
            }
            return answer.others == 0 ? table.text : "\(table.text)\n\nFurther parts that differ: \(answer.others)."
        }
    }

    private static func cell(_ text: String?) -> String {
        guard let text else { return "" }
        return text.unicodeScalars.count > 200 ? "\(text.utf8.count) bytes" : text.printable
    }
}

struct CampaignProposeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "propose",
        abstract: "Save a change of a launched in-app message without publishing it.",
        discussion: "It can be rehearsed and approved then; 'campaign publish' publishes it."
    )

    @OptionGroup var target: CampaignTarget
    @OptionGroup var draft: DraftOptions

    func run() async throws {
        let json = try draft.json()
        let answer: CampaignVersionResponse = try await target.admin.withClient { client in
            try await client.call(CampaignVersionRoutes.proposeVersion, target.app, target.id, json: json)
        }
        try target.admin.show(answer) { "Version \($0.version) waits to be published." }
    }
}

struct CampaignRestoreCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Give a draft the content of one of its versions again."
    )

    @OptionGroup var target: CampaignTarget
    @Argument(help: "The version.")
    var version: Int64

    func run() async throws {
        let answer: CampaignStatusResponse = try await target.admin.withClient { client in
            try await client.call(CampaignVersionRoutes.restoreVersion, target.app, target.id, "\(version)")
        }
        try target.admin.show(answer) { "Campaign \($0.id) has the content of version \(version) again." }
    }
}

struct CampaignPublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Publish a version of an in-app message that waits."
    )

    @OptionGroup var target: CampaignTarget
    @Argument(help: "The version.")
    var version: Int64

    func run() async throws {
        let answer: CampaignStatusResponse = try await target.admin.withClient { client in
            try await client.call(CampaignVersionRoutes.publishVersion, target.app, target.id, "\(version)")
        }
        try target.admin.show(answer) { "Version \(version) of campaign \($0.id) was published." }
    }
}

extension AuthorResponse? {
    /// The author's name as it is shown in a table.
    var words: String {
        guard let author = self else { return "unknown" }
        return author.name?.printable ?? "a person who was removed"
    }
}
