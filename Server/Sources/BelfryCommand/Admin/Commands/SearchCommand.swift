import ArgumentParser
import BelfryAPI

/// Finds campaigns, contacts and devices by one text, as the console's palette does (CON-2).
struct SearchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "search", abstract: "Find campaigns, contacts and devices by one text.",
        discussion: """
            Campaigns are found by a part of the name or by their id, contacts by the beginning of their key, a \
            former key, the value of a contact field or the number of a party identifier, devices by id or push \
            token: at most 20 of each. 'belfry people' searches in more ways, page by page.
            """
    )

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Argument(help: "What to look for.")
    var text: String

    func run() async throws {
        let query = QueryText.parameters([("q", text)])
        let answer: SearchResponse = try await admin.withClient { client in
            try await client.call(RecipientRoutes.search, app, query: query)
        }
        try admin.show(answer) { answer in
            var table = TextTable("WHAT", "ID OR KEY", "STATUS", "NAME")
            for campaign in answer.campaigns {
                table.add("campaign", campaign.id, campaign.status.rawValue, campaign.name)
            }
            for contact in answer.contacts { table.add("contact", contact, "", "") }
            for device in answer.devices { table.add("device", device, "", "") }
            return table.rows.isEmpty ? "Nothing was found." : table.text
        }
    }
}
