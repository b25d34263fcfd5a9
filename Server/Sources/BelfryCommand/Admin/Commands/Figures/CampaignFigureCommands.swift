import ArgumentParser
import BelfryAPI

// Commands that show the details behind a campaign's figures (CON-7).

struct CampaignRecipientsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recipients", abstract: "List the devices of a campaign and how its delivery to each ended.",
        discussion: "'belfry explain' says in a sentence why one of them did or did not get it."
    )

    @OptionGroup var target: CampaignTarget
    @OptionGroup var list: ListOptions
    @Option(help: "Only devices in this state: pending, accepted, suppressed, rejected or cancelled.")
    var state: String?
    @Option(help: "Only devices with this reason, such as noToken.")
    var reason: String?
    @Option(help: "Only devices that told of this: received, displayed, opened or dismissed.")
    var engagement: String?

    func run() async throws {
        let filter = QueryText.filters([("state", state), ("reason", reason), ("engagement", engagement)])
        let found: RecipientsResponse = try await target.admin.withClient { client in
            try await list.collect(\.recipients, \.cursor, pagesOf: RecipientRoutes.page) { query in
                try await client.call(
                    RecipientRoutes.listRecipients, target.app, target.id, query: query + filter
                )
            }
        }
        try target.admin.show(found) { answer in
            var table = TextTable("DEVICE", "CONTACT", "STATE", "REASON", "CHANGED", "DISPLAYED", "OPENED")
            for entry in answer.recipients {
                table.add(
                    entry.deviceId ?? "", entry.contactKey ?? "", entry.state, entry.reason ?? "", entry.updatedAt,
                    entry.displayedAt ?? "", entry.openedAt ?? ""
                )
            }
            return list.text(table, cursor: answer.cursor)
        }
    }
}

struct CampaignHoursCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hours", abstract: "Show the figures of a campaign by the hour, from its launch."
    )

    @OptionGroup var target: CampaignTarget

    func run() async throws {
        let answer: CampaignHoursResponse = try await target.admin.withClient { client in
            try await client.call(StatisticsRoutes.readCampaignHours, target.app, target.id)
        }
        try target.admin.show(answer) { answer in
            guard let summedAt = answer.summedAt else {
                return "There are no figures yet: the campaign was not launched, or its ledger was not summed up yet."
            }
            var table = TextTable("HOUR", "ACCEPTED", "DISPLAYED", "OPENED")
            for hour in answer.hours {
                table.add(hour.begins, "\(hour.accepted)", "\(hour.displayed)", "\(hour.opened)")
            }
            return "\(table.text)\n\nAs of \(summedAt.printable)."
        }
    }
}
