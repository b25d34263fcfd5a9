import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

@Suite("Commands about rehearsals, figures, the calendar and what one text finds")
struct FigureCommandTests {
    /// Runs commands for one app at one server.
    private struct Desk {
        let stage: Stage
        let server: ServerProcess

        func answer<Value: Decodable>(_ arguments: String..., as type: Value.Type = Value.self) async throws -> Value {
            try await stage.answer(arguments, at: server.address)
        }

        func run(_ arguments: String...) async throws -> CommandOutcome {
            try await stage.command(arguments, at: server.address)
        }

        /// What a command prints for people.
        func text(_ arguments: String...) async throws -> String {
            let outcome = try await stage.command(arguments, at: server.address)
            #expect(outcome.exit == .code(0), "\(arguments): \(outcome.errors)")
            return outcome.output
        }
    }

    @Test(
        "CLI-7, CON-6, CON-7, CON-12: what the console shows of a campaign before and after its launch, the command line shows",
        .timeLimit(.minutes(10))
    )
    func story() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let desk = Desk(stage: stage, server: server)
                // The app's zone is UTC. The day may end before the test does.
                let today = String(Timestamp.text(Date()).prefix(10))
                let device = DeviceCaller(server: server, http: stage.http)
                try await device.link(to: "ann")
                let made: CampaignStatusResponse = try await desk.answer(
                    "campaign", "create", "shop", "--title", "Autumn", "--body", "All red", "--without-push"
                )
                try await Self.compose(desk, device)
                try await Self.rehearse(desk, made.id, device)
                let launched = try await desk.run("campaign", "launch", "shop", made.id, "--wait")
                #expect(launched.exit == .code(0), "\(launched.errors)")
                try await Self.figures(desk, made.id, device, since: today)
            }
        }
    }

    private static func compose(_ desk: Desk, _ device: DeviceCaller) async throws {
        let sample: AudienceSampleResponse = try await desk.answer("audience", "sample", "shop", #"{"everyone":true}"#)
        #expect(sample.people.map(\.deviceId) == [device.id] && sample.people.map(\.contactKey) == ["ann"])
        let table = try await desk.text("audience", "sample", "shop", #"{"known":false}"#, "--attribute", "city")
        #expect(table.contains("empty"))
        let defined = try await desk.run("app", "attribute", "shop", "city", "string")
        #expect(defined.exit == .code(0), "\(defined.errors)")
        let preview: DraftPreviewResponse = try await desk.answer(
            "campaign", "preview-draft", "shop", "--title", "In {{city}}", "--body", "B", "--contact", "ann"
        )
        #expect(preview.missing == ["city"])
        let invented = try await desk.text(
            "campaign", "preview-draft", "shop", "--title", "In {{city}}", "--body", "B", "--value", "city=Rome"
        )
        #expect(invented.contains("In Rome"))
        let bad = try await desk.run(
            "campaign", "preview-draft", "shop", "--title", "a", "--body", "b", "--value", "Berta")
        bad.expectError(64, naming: ["NAME=VALUE"])
    }

    private static func rehearse(_ desk: Desk, _ id: String, _ device: DeviceCaller) async throws {
        let rehearsal: RehearsalResponse = try await desk.answer("campaign", "rehearse", "shop", id)
        let list: RehearsalListResponse = try await desk.answer("campaign", "rehearsals", "shop", id)
        #expect(list.rehearsals.map(\.id) == [rehearsal.id] && list.rehearsals.map(\.status) == [.done])
        let shown: RehearsalResponse = try await desk.answer("campaign", "rehearsal", "show", "shop", id, rehearsal.id)
        #expect(shown == rehearsal)
        let found: RehearsedDevicesResponse = try await desk.answer(
            "campaign", "rehearsal", "devices", "shop", id, rehearsal.id, "--state", "accepted"
        )
        #expect(found.devices.map(\.deviceId) == [device.id])
        let others = try await desk.text(
            "campaign", "rehearsal", "devices", "shop", id, rehearsal.id, "--state", "suppressed"
        )
        #expect(!others.contains(device.id))
        let cancelled = try await desk.text("campaign", "rehearsal", "cancel", "shop", id, rehearsal.id)
        #expect(cancelled.contains("is done"), "one that has ended stays as it is")
        let bad = try await desk.run(
            "campaign", "rehearsal", "devices", "shop", id, rehearsal.id, "--reason", "noToken")
        bad.expectError(64, naming: ["--state"])
        let missing = try await desk.run("campaign", "rehearsal", "show", "shop", id, "99")
        missing.expectError(1, naming: ["(404)", "rehearsal"])
    }

    private static func figures(
        _ desk: Desk, _ id: String, _ device: DeviceCaller, since day: String
    ) async throws {
        let recipients: RecipientsResponse = try await desk.answer(
            "campaign", "recipients", "shop", id, "--state", "accepted"
        )
        #expect(recipients.recipients.map(\.contactKey) == ["ann"])
        let none = try await desk.text("campaign", "recipients", "shop", id, "--engagement", "opened")
        #expect(!none.contains(device.id))
        // The ledger is summed up about once a minute.
        let hours: CampaignHoursResponse = try await desk.answer("campaign", "hours", "shop", id)
        #expect(hours.hours.count <= 1)
        let inbox: ContactInboxResponse = try await desk.answer("contact", "inbox", "shop", "ann")
        #expect(inbox.centers.flatMap(\.messages).map(\.campaign) == [id])
        #expect(try await desk.text("contact", "inbox", "shop", "ann").contains("Autumn"))
        let version: CampaignVersionContentResponse = try await desk.answer("campaign", "version", "shop", id, "1")
        #expect(version.version.version == 1 && version.content.name == "Autumn")
        #expect(try await desk.text("campaign", "version", "shop", id, "1").contains("All red"))
        let found: SearchResponse = try await desk.answer("search", "shop", "an")
        #expect(found.contacts == ["ann"])
        #expect(try await desk.text("search", "shop", "autumn").contains(id))
        #expect(try await desk.text("search", "shop", "nothing like it").contains("Nothing was found"))
        let calendar: CalendarResponse = try await desk.answer("calendar", "shop", "--from", day)
        #expect(calendar.campaigns.map(\.id) == [id])
        #expect(try await desk.text("calendar", "show", "shop", "--from", "2031-12-01").contains("No campaign"))
        let pressure: PressureResponse = try await desk.answer("calendar", "pressure", "shop", "--days", "3")
        #expect(pressure.audiences.isEmpty, "nothing is planned any more")
        let days: DayStatisticsResponse = try await desk.answer("statistics", "shop", "--days", "3")
        #expect(days.days.count == 3)
        let bad = try await desk.run("statistics", "shop", "--days", "9999")
        bad.expectError(1, naming: ["days"])
    }
}

@Suite("CLI-7: what the API can do, the command line can do")
struct EveryOperationHasACommandTests {
    /// The texts of the Swift files of a folder.
    private static func sources(_ folder: String) throws -> [String] {
        let root = ProjectFile.url(folder)
        let files = try #require(FileManager.default.enumerator(at: root, includingPropertiesForKeys: nil))
        return try files.compactMap { $0 as? URL }.filter { $0.pathExtension == "swift" }
            .map { try String(contentsOf: $0, encoding: .utf8) }
    }

    @Test("CLI-7: each operation of the admin API is called by a command")
    func all() throws {
        let commands = try Self.sources("Server/Sources/BelfryCommand/Admin").joined()
        var routes: [String] = []
        for text in try Self.sources("Server/Sources/BelfryAPI/Admin") {
            for match in text.matches(of: /static let (\w+) = AdminRoute\(/) {
                let types = text[..<match.range.lowerBound].matches(of: /(?:enum|extension) (\w+Routes)\b/)
                let type = try #require(types.last, "\(match.1)")
                routes.append("\(type.1).\(match.1)")
            }
        }
        #expect(routes.count > 70)
        for route in routes where !commands.contains(route) {
            Issue.record("no command calls \(route)")
        }
    }
}
