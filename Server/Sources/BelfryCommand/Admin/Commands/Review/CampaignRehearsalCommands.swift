import ArgumentParser
import BelfryAPI
import BelfryServerModel

struct CampaignRehearsalsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearsals", abstract: "List the rehearsals of a campaign, newest first."
    )

    @OptionGroup var target: CampaignTarget

    func run() async throws {
        let answer: RehearsalListResponse = try await target.admin.withClient { client in
            try await client.call(RehearsalRoutes.listRehearsals, target.app, target.id)
        }
        try target.admin.show(answer) { answer in
            guard !answer.rehearsals.isEmpty else { return "The campaign was not rehearsed." }
            var table = TextTable("ID", "STATUS", "REQUESTED", "ENDED", "DEVICES")
            for entry in answer.rehearsals {
                table.add(
                    entry.id, entry.status.rawValue, entry.requestedAt, entry.endedAt ?? "", "\(entry.audience)"
                )
            }
            return table.text
        }
    }
}

/// Shows one rehearsal (CON-12).
struct CampaignRehearsalCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearsal", abstract: "Show a rehearsal's results and the devices behind them, or cancel it.",
        discussion: "'campaign rehearse' starts one, and compares one with the campaign's outcome.",
        subcommands: [Show.self, Devices.self, Cancel.self]
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Show a rehearsal's progress and results."
        )

        @OptionGroup var target: RehearsalTarget

        func run() async throws {
            let answer: RehearsalResponse = try await target.campaign.admin.withClient { client in
                try await client.call(
                    RehearsalRoutes.readRehearsal, target.campaign.app, target.campaign.id, target.rehearsal
                )
            }
            try target.campaign.admin.show(answer) { $0.text }
        }
    }

    struct Devices: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the devices of a rehearsal and their outcomes."
        )

        @OptionGroup var target: RehearsalTarget
        @OptionGroup var list: ListOptions
        @Option(help: "Only devices with this outcome: accepted, suppressed or rejected.")
        var state: String?
        @Option(help: "With --state: only devices with this reason. (default: those without one)")
        var reason: String?
        @Option(help: "Only devices that would get it (yes), or that would not (no).")
        var reached: String?
        @Option(help: "Only devices that would get it, or end, at this time or later: 2026-12-01T18:00:00Z.")
        var from: String?
        @Option(help: "Only devices that would get it, or end, before this time.")
        var to: String?
        @Option(help: "Only devices of one platform, zone or locale: the one in --name.")
        var by: String?
        @Option(help: "With --by: the platform, zone or locale. (default: devices that report none)")
        var name: String?
        @Option(
            help: "Only devices whose message center would get the message (placed), or overflow by it (crowded)."
        )
        var message: String?

        func validate() throws {
            guard reason == nil || state != nil else { throw ValidationError("Use --reason with --state.") }
            guard name == nil || by != nil else { throw ValidationError("Use --name with --by.") }
        }

        func run() async throws {
            let filter = QueryText.filters([
                ("state", state), ("reason", reason), ("reached", reached), ("from", from), ("to", to), ("by", by),
                ("name", name), ("message", message),
            ])
            let found: RehearsedDevicesResponse = try await target.campaign.admin.withClient { client in
                try await list.collect(\.devices, \.cursor, pagesOf: RehearsalRoutes.page) { query in
                    try await client.call(
                        RehearsalRoutes.listRehearsedDevices, target.campaign.app, target.campaign.id,
                        target.rehearsal, query: query + filter
                    )
                }
            }
            try target.campaign.admin.show(found) { answer in
                var table = TextTable("DEVICE", "OUTCOME", "REASON", "TIME")
                for device in answer.devices {
                    table.add(device.deviceId, device.state.rawValue, device.reason ?? "", device.at)
                }
                return list.text(table, cursor: answer.cursor)
            }
        }
    }

    struct Cancel: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Cancel a rehearsal that waits or runs. Its results so far are removed."
        )

        @OptionGroup var target: RehearsalTarget

        func run() async throws {
            let answer: RehearsalStatusResponse = try await target.campaign.admin.withClient { client in
                try await client.call(
                    RehearsalRoutes.cancelRehearsal, target.campaign.app, target.campaign.id, target.rehearsal
                )
            }
            try target.campaign.admin.show(answer) { "Rehearsal \($0.id) is \($0.status.rawValue)." }
        }
    }
}

/// The arguments that name one rehearsal of one campaign.
struct RehearsalTarget: ParsableArguments {
    @OptionGroup var campaign: CampaignTarget
    @Argument(help: "The rehearsal's id.")
    var rehearsal: String

    func validate() throws {
        // Without an id the path would be that of the list.
        guard !rehearsal.isEmpty else { throw ValidationError("The rehearsal's id is empty.") }
    }
}
