import ArgumentParser
import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryServices

struct CampaignRehearseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rehearse",
        abstract: "Run a campaign over its whole audience without sending it, and show what would happen.",
        discussion: """
            The server runs the campaign in virtual time, as if it were launched now, with the rules by which it is \
            sent. With --compare it shows a rehearsal beside the campaign's outcome after its launch. Progress goes \
            to standard error. The exit code is 0 when the rehearsal is done, and 1 when it failed or was cancelled. \
            Interrupting the command does not cancel the rehearsal.
            """
    )

    /// The time between two requests for the rehearsal's status.
    private static let interval: Duration = .milliseconds(500)

    @OptionGroup var target: CampaignTarget
    @Option(help: "Compare this rehearsal with the campaign's outcome.")
    var compare: String?

    func validate() throws {
        guard compare?.isEmpty != true else { throw ValidationError("The rehearsal's id (--compare) is empty.") }
    }

    func run() async throws {
        if let compare { return try await showComparison(of: compare) }
        let answer = try await target.admin.withClient { client in
            let started = try await client.call(RehearsalRoutes.startRehearsal, target.app, target.id)
            return try await wait(for: started.id, client)
        }
        try target.admin.show(answer) { $0.text }
        if let failure = RehearsalFailure(answer) { throw failure }
    }

    private func wait(for rehearsal: String, _ client: AdminClient) async throws -> RehearsalResponse {
        var display = ProgressDisplay.standardError
        while true {
            let answer = try await client.call(RehearsalRoutes.readRehearsal, target.app, target.id, rehearsal)
            let percent = ProgressBar.percent(answer.progress)
            display.show(
                percent: percent, figures: "\(answer.audience) devices",
                line:
                    "Rehearsal \(answer.id.printable) is \(answer.status.rawValue): \(percent) %, \(answer.audience) devices"
            )
            guard answer.status.isOpen else {
                display.end()
                return answer
            }
            try await Task.sleep(for: Self.interval)
        }
    }

    private func showComparison(of rehearsal: String) async throws {
        let answer: RehearsalComparisonResponse = try await target.admin.withClient { client in
            try await client.call(RehearsalRoutes.compareRehearsal, target.app, target.id, rehearsal)
        }
        try target.admin.show(answer) { $0.text }
    }
}

/// The error for a rehearsal that ended without a result.
struct RehearsalFailure: Error, CustomStringConvertible {
    let description: String

    /// Returns nil for a rehearsal that is done.
    init?(_ answer: RehearsalResponse) {
        guard answer.status != .done else { return nil }
        let problem = answer.problem.map { " \($0.printable)" } ?? ""
        description = "Rehearsal \(answer.id.printable) is \(answer.status.rawValue).\(problem)"
    }
}

extension RehearsalResponse {
    var text: String {
        guard let outcomes else { return "Rehearsal \(id) is \(status.rawValue)." }
        let parts =
            (warnings ?? []).map { "Warning: \($0.printable)" }
            + [summary, table(outcomes), table(byHour ?? []), changesText, groups].compactMap(\.self)
        return parts.joined(separator: "\n\n")
    }

    private var summary: String {
        let times = [firstAt.map { "from \($0)" }, lastAt.map { "to \($0)" }].compactMap(\.self).joined(separator: " ")
        let launch = launchAt.map { "Launched at \($0), it" } ?? "It"
        return "\(launch) would reach \(reached ?? 0) of \(audience) devices\(times.isEmpty ? "" : ", \(times)")."
    }

    private func table(_ outcomes: [Outcome]) -> String? {
        guard !outcomes.isEmpty else { return nil }
        var table = TextTable("OUTCOME", "REASON", "DEVICES")
        for outcome in outcomes { table.add(outcome.state.rawValue, outcome.reason ?? "", "\(outcome.count)") }
        return table.text
    }

    private func table(_ hours: [Hour]) -> String? {
        guard hours.count > 1 else { return nil }
        var table = TextTable("HOUR", "DEVICES")
        for hour in hours { table.add(hour.from, "\(hour.count)") }
        return table.text
    }

    private var changesText: String? {
        guard let former, let changes, !changes.isEmpty else { return nil }
        var table = TextTable("OUTCOME", "REASON", "BEFORE", "NOW")
        for change in changes {
            table.add(change.state.rawValue, change.reason ?? "", "\(change.before)", "\(change.now)")
        }
        return "Changed since rehearsal \(former.printable):\n\n\(table.text)"
    }

    private var groups: String? {
        var table = TextTable("BY", "NAME", "DEVICES", "REACHED")
        for (kind, groups) in [("platform", byPlatform), ("zone", byZone), ("locale", byLocale)] {
            for group in groups ?? [] { table.add(kind, group.name ?? "none", "\(group.audience)", "\(group.reached)") }
        }
        return table.rows.isEmpty ? nil : table.text
    }
}

extension RehearsalComparisonResponse {
    fileprivate var text: String {
        var lines = TextTable("OUTCOME", "REASON", "REHEARSED", "CAME")
        for line in self.lines {
            lines.add(line.state.rawValue, line.reason ?? "", "\(line.rehearsed)", "\(line.came)")
        }
        let summary =
            "\(equal) devices ended as rehearsed, \(different) did not, \(unexplained) of them without a known cause."
            + (isFinal ? "" : " The campaign is not over: this may change.\(comparedAt.map { " As of \($0)." } ?? "")")
        guard !differences.isEmpty else { return "\(summary)\n\n\(lines.text)" }
        var causes = TextTable("REHEARSED", "CAME", "CAUSE", "DEVICES", "SOME OF THEM")
        for difference in differences {
            causes.add(
                difference.rehearsed?.words ?? "", difference.came?.words ?? "", difference.cause.rawValue,
                "\(difference.count)", difference.devices.joined(separator: ", ")
            )
        }
        return "\(summary)\n\n\(lines.text)\n\n\(causes.text)"
    }
}

extension RehearsalComparisonResponse.End {
    fileprivate var words: String { ([state.rawValue] + [reason].compactMap(\.self)).joined(separator: " ") }
}
