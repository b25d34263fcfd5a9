import ArgumentParser
import BelfryAPI

/// Shows the figures of an app's last days (CON-4).
struct StatisticsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "statistics", abstract: "Show what an app sent on each of the last days, and who may get pushes."
    )

    @OptionGroup var admin: AdminOptions
    @Argument(help: "The app's code.")
    var app: String
    @Option(help: "How many days, today included. (default: 30)")
    var days: Int?

    func run() async throws {
        let query = QueryText.parameters([("days", days.map { String($0) })])
        let answer: DayStatisticsResponse = try await admin.withClient { client in
            try await client.call(StatisticsRoutes.readDayStatistics, app, query: query)
        }
        try admin.show(answer, Self.text)
    }

    private static func text(_ answer: DayStatisticsResponse) -> String {
        var table = TextTable("DAY", "ACCEPTED", "SUPPRESSED", "REJECTED", "DISPLAYED", "OPENED", "DEVICES", "OPTED IN")
        for day in answer.days {
            table.add(
                day.day, "\(day.accepted)", "\(day.suppressed)", "\(day.rejected)", "\(day.displayed)",
                "\(day.opened)", day.devices.map { "\($0)" } ?? "", day.optedIn.map { "\($0)" } ?? ""
            )
        }
        let unusual = answer.unusual.map { day in
            "On \(day.day) '\(day.measure)' was \(day.count); usual are \(day.usual).".printable
        }
        return ([table.text] + unusual).joined(separator: "\n\n")
    }
}
