import ArgumentParser
import BelfryAPI

// Commands for the messages that campaigns have placed in message centers (MC-16).

struct CampaignMessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages", abstract: "List the messages that a campaign has placed in message centers."
    )

    @OptionGroup var target: CampaignTarget
    @OptionGroup var list: ListOptions

    func run() async throws {
        let found: PlacedMessagesResponse = try await target.admin.withClient { client in
            try await list.collect(\.messages, \.cursor, pagesOf: PlacedMessageRoutes.page) { query in
                try await client.call(PlacedMessageRoutes.listCampaignMessages, target.app, target.id, query: query)
            }
        }
        try target.admin.show(found) { $0.text(list, whose: true) }
    }
}

struct ContactMessagesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "messages",
        abstract: "List the messages that campaigns have placed for a contact, newest first."
    )

    @OptionGroup var target: ContactTarget
    @OptionGroup var list: ListOptions

    func run() async throws {
        let found: PlacedMessagesResponse = try await target.admin.withClient { client in
            try await list.collect(\.messages, \.cursor, pagesOf: PlacedMessageRoutes.page) { query in
                try await client.call(PlacedMessageRoutes.listContactMessages, target.app, target.key, query: query)
            }
        }
        try target.admin.show(found) { $0.text(list, whose: false) }
    }
}

struct ContactRecallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recall",
        abstract: "Recall a campaign's message from one contact: it is deleted on all their devices."
    )

    @OptionGroup var target: ContactTarget
    @Argument(help: "The campaign's id.")
    var campaign: String

    func run() async throws {
        try await target.admin.withClient { client in
            try await client.call(
                PlacedMessageRoutes.recallContactMessage, target.app, target.key, campaign
            )
        }
        try target.admin.show(RecalledMessage(contactKey: target.key, campaign: campaign)) {
            "The message of campaign \($0.campaign.printable) was recalled from '\($0.contactKey.printable)'."
        }
    }
}

/// The JSON output, because the API's response has no body.
private struct RecalledMessage: Encodable {
    let contactKey: String
    let campaign: String
}

extension PlacedMessagesResponse {
    /// - Parameter whose: whether the entries belong to different contacts, so that the table names them.
    fileprivate func text(_ list: ListOptions, whose: Bool) -> String {
        var table = TextTable(whose ? "CONTACT OR DEVICE" : "CAMPAIGN", "CENTER", "SENT", "STATE", "ID")
        for message in messages {
            let holder = message.contactKey ?? message.deviceId ?? ""
            table.add(
                whose ? holder : message.campaign, message.center, message.sentAt,
                message.recalledAt == nil ? message.state.rawValue : "recalled", message.id
            )
        }
        return list.text(table, cursor: cursor)
    }
}
