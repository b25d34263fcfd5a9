import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryServerModel

// Commands that end, recall or delete a campaign (IAM-10).

struct CampaignDeleteCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a draft, or remove a finished campaign from the list.",
        discussion: """
            This also ends an in-app campaign: devices that have not downloaded its message never get it, and \
            downloaded copies stay until they expire. To remove those as well, use 'campaign recall'.
            """
    )

    @OptionGroup var target: CampaignTarget

    func run() async throws {
        try await target.admin.withClient { client in
            try await client.call(CampaignRoutes.deleteCampaign, target.app, target.id)
        }
        try target.admin.show(DeletedCampaign(id: target.id)) { "Campaign \($0.id.printable) was deleted." }
    }
}

struct CampaignRecallCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recall",
        abstract: "Recall a campaign's in-app message, or the messages that it has placed.",
        discussion: """
            Devices that have an in-app message remove it at their next sync. Messages in message centers are deleted \
            for everybody, and no more are placed. To recall a message from one contact, use 'contact recall'.
            """
    )

    @OptionGroup var target: CampaignTarget

    func run() async throws {
        let answer: CampaignStatusResponse = try await target.admin.withClient { client in
            try await client.call(CampaignRoutes.recallCampaign, target.app, target.id)
        }
        try target.admin.show(answer) { "Campaign \($0.id) is \($0.status.rawValue); its messages were recalled." }
    }
}

/// The output of `campaign delete --json`, because the server's response has no body.
private struct DeletedCampaign: Encodable {
    let id: String
    var deleted = true
}
