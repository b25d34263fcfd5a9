import ArgumentParser
import BelfryAPI

/// Shows which campaigns go out when, and how many devices get several of them (CON-6).
struct CalendarCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "calendar",
        abstract: "Show an app's calendar of campaigns, and how many messages reach the same devices.",
        subcommands: [Show.self, Pressure.self], defaultSubcommand: Show.self
    )

    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the campaigns of some days, in the order in which they begin."
        )

        @OptionGroup var span: CalendarSpanOptions

        func run() async throws {
            let answer: CalendarResponse = try await span.admin.withClient { client in
                try await client.call(CalendarRoutes.readCalendar, span.app, query: span.query)
            }
            try span.admin.show(answer) { answer in
                guard !answer.campaigns.isEmpty else { return "No campaign falls on these days." }
                var table = TextTable("BEGINS", "ENDS", "LOCAL TIME", "ID", "STATUS", "KIND", "NAME")
                for entry in answer.campaigns {
                    table.add(
                        entry.begins, entry.ends ?? "", entry.localAt ?? "", entry.id, entry.status.rawValue,
                        entry.kind.rawValue, entry.name
                    )
                }
                return table.text
            }
        }
    }

    struct Pressure: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Count how many of the planned messages reach the same devices.",
            discussion: "It reads the app's devices once; nothing is sent or saved."
        )

        @OptionGroup var span: CalendarSpanOptions

        func run() async throws {
            let answer: PressureResponse = try await span.admin.withClient { client in
                try await client.call(CalendarRoutes.countPressure, span.app, query: span.query)
            }
            try span.admin.show(answer) { $0.text }
        }
    }
}

/// The options for a range of days in an app's calendar.
struct CalendarSpanOptions: ParsableArguments {
    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Option(help: "The first day, such as 2026-12-01. (default: today, in the app's time zone)")
    var from: String?
    @Option(help: "How many days. (default: 7)")
    var days: Int?

    var query: String { QueryText.parameters([("from", from), ("days", days.map { String($0) })]) }
}

extension PressureResponse {
    fileprivate var text: String {
        guard !audiences.isEmpty else { return "No message is planned for these days." }
        var reach = TextTable("CAMPAIGN", "NAME", "DEVICES", "CAPPED")
        for audience in audiences {
            reach.add(
                audience.campaign, audience.name, "\(audience.devices)", audience.capped.map { "\($0)" } ?? ""
            )
        }
        var load = TextTable("MESSAGES", "DEVICES")
        for entry in loads { load.add("\(entry.messages)", "\(entry.devices)") }
        var parts = ["The planned messages reach \(Quantity.text(devices, "device")).", reach.text, load.text]
        if !overlaps.isEmpty {
            var both = TextTable("CAMPAIGNS", "DEVICES OF BOTH")
            for overlap in overlaps { both.add(overlap.campaigns.joined(separator: ", "), "\(overlap.devices)") }
            parts.append(both.text)
        }
        if notCounted > 0 { parts.append("\(Quantity.text(notCounted, "campaign")) of these days are left out.") }
        return parts.joined(separator: "\n\n")
    }
}
