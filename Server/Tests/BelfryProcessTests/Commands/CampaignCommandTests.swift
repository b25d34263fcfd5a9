import BelfryAPI
import BelfryModel
import BelfryServerModel
import Foundation
import Testing

@Suite("Commands for campaigns")
struct CampaignCommandTests {
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
    }

    @Test(
        "CLI-4, CAMP-5: a schedule is given by options; a whole campaign comes from a file, and replaces a draft",
        .timeLimit(.minutes(10))
    )
    func drafts() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                let desk = Desk(stage: stage, server: server)
                let made: CampaignStatusResponse = try await desk.answer(
                    "campaign", "create", "shop", "--title", "Hi", "--body", "There", "--local-at", "2030-12-01T09:00",
                    "--quiet-hours", "22:00-08:00,suppress", "--cap", "2/P7D", "--expires-at", "2030-12-03T00:00:00",
                    "--rate", "500"
                )
                let campaign = try await stage.admin(server).campaign(made.id)
                let schedule = CampaignSchedule(
                    localAt: LocalDateTime("2030-12-01T09:00:00"),
                    quietHours: QuietHours(
                        from: try #require(TimeOfDay("22:00")), to: try #require(TimeOfDay("08:00")), then: .suppress
                    ),
                    frequencyCap: FrequencyCap(count: 2, within: try ISODuration("P7D")),
                    expiresAt: Timestamp.date("2030-12-03T00:00:00Z"), ratePerSecond: 500
                )
                #expect(campaign.schedule == schedule && campaign.name == "Hi")

                let file = try stage.file(
                    "draft.json",
                    """
                    {"name":"Whole","kind":"push","audience":{"tag":"a"},
                    "push":{"title":"Hello","body":"You","variants":{"fr":{"title":"Salut"}}}}
                    """
                )
                let replaced = try await desk.run("campaign", "update", "shop", made.id, "--file", file)
                #expect(replaced.exit == .code(0) && replaced.output.contains("draft"), "\(replaced.errors)")
                let whole = try await stage.admin(server).campaign(made.id)
                #expect(whole.push?.variants?["fr"]?.title == "Salut" && whole.schedule == nil)
                let second: CampaignStatusResponse = try await desk.answer("campaign", "create", "shop", "--file", file)
                #expect(second.id != made.id)

                let rejected = try await desk.run(
                    "campaign", "create", "shop", "--title", "a", "--body", "b", "--at", "soon"
                )
                rejected.expectError(1, naming: ["(400)", "[schedule.at]"])
            }
        }
    }

    @Test(
        "CLI-4: an invalid schedule is a usage error, and says the right format",
        .timeLimit(.minutes(10)),
        arguments: [
            (["--local-at", "2030-12-01T09:00Z"], ["--local-at", "without an offset"]),
            (["--quiet-hours", "22-8"], ["--quiet-hours", "22:00-08:00"]),
            (["--quiet-hours", "22:00-08:00,later"], ["--quiet-hours", "suppress"]),
            (["--cap", "2"], ["--cap", "2/P7D"]), (["--cap", "2/P1M"], ["--cap", "P1M", "P7D"]),
            (["--rate", "fast"], ["--rate"]),
            (["--at", "2030-12-01T09:00:00Z", "--local-at", "2030-12-01T09:00"], ["not both"]),
            (["--file", "draft.json"], ["not both"]),
        ]
    )
    func badSchedules(options: [String], words: [String]) async throws {
        try await withStage { stage in
            let outcome = try await stage.command(
                ["campaign", "create", "shop", "--title", "a", "--body", "b"] + options, at: "http://127.0.0.1:9"
            )
            outcome.expectError(64, naming: words)
        }
    }

    @Test(
        "CLI-4, CAMP-3: an audience is counted from JSON, from a file and from standard input", .timeLimit(.minutes(10))
    )
    func audience() async throws {
        try await withStage { stage in
            try await stage.withServer { server in
                try await stage.admin(server).createApp()
                for key in ["anna", "bert"] {
                    try await DeviceCaller(server: server, http: stage.http).link(to: key)
                }
                let desk = Desk(stage: stage, server: server)
                let count = ["audience", "count", "shop"]
                let anna: AudienceCountResponse = try await desk.answer(
                    "audience", "count", "shop", #"{"contactKeys":["anna"]}"#
                )
                #expect(anna.devices == 1)
                let file = try stage.file("everyone.json", #"{"everyone":true}"#)
                let shown = try await desk.run("audience", "count", "shop", file)
                #expect(shown.output == "The audience has 2 devices now.\n", "\(shown.errors)")
                let typed: AudienceCountResponse = try await stage.answer(
                    count + ["-"], at: server.address, input: file
                )
                #expect(typed.devices == 2)

                let unknown = try await desk.run("audience", "count", "shop", #"{"tag":"a","within":"P1D"}"#)
                unknown.expectError(1, naming: ["(422)", "'within'", "[audience.within]"])
                try await desk.run("audience", "count", "shop", #"{"tag":}"#).expectError(64, naming: ["column 8"])
                try await desk.run("audience", "count", "shop", "nothing.json")
                    .expectError(1, naming: ["nothing.json", "does not exist"])
            }
        }
    }

    @Test(
        "CLI-4, CAMP-4, CAMP-7, LED-2: a campaign is previewed, launched, followed to its end, and explained",
        .timeLimit(.minutes(10))
    )
    func story() async throws {
        try await withPushService { service in
            try await withStage { stage in
                try await stage.withServer { server in
                    let admin = stage.admin(server)
                    try await admin.createApp()
                    try await admin.putCredentials(service.credentials)
                    let fleet = try await TestFleet.register(20, mixed: true, at: server, with: service, stage)
                    let campaign = try await admin.createCampaign("Sale")
                    let desk = Desk(stage: stage, server: server)
                    try await tryOut(campaign, fleet, desk)
                    try await launch(campaign, desk)
                    try await explain(campaign, fleet, desk)
                }
            }
        }
    }

    private func tryOut(_ campaign: String, _ fleet: TestFleet, _ desk: Desk) async throws {
        let device = try #require(fleet.members(of: .reachable).first).device.id
        let shown = try await desk.run("campaign", "preview", "shop", campaign, "--device", device)
        #expect(shown.properties["device"] == device && shown.properties["title"] == "Sale", "\(shown.errors)")
        let previews: CampaignPreviewResponse = try await desk.answer(
            "campaign", "preview", "shop", campaign, "--limit", "3"
        )
        #expect(previews.previews.count == 3)

        let run: DryRunResponse = try await desk.answer("campaign", "dry-run", "shop", campaign)
        #expect(run.audience == 20 && run.wouldSend == 18)
        #expect(run.suppressed == ["optedOut:os-setting": 1, "noToken": 1])
        let figures = try await desk.run("campaign", "dry-run", "shop", campaign)
        #expect(figures.properties["would get it now"] == "18", "\(figures.output)")
        #expect(figures.properties["suppressed, noToken"] == "1")

        let optedOut = try #require(fleet.members(of: .optedOut).first).device.id
        // A test is sent once, and the connection may be long in coming: then it says that there was no answer.
        let test = try await eventually("the push service has answered a test") {
            try await desk.run("campaign", "test", "shop", campaign, "--device", device, "--device", optedOut)
        } until: {
            !$0.output.contains(DeliveryReason.noAnswer.rawValue)
        }
        #expect(test.exit == .code(0) && test.output.contains("The push service accepted it."), "\(test.errors)")
        #expect(test.output.contains("optedOut:os-setting"))
        try await desk.run("campaign", "test", "shop", campaign).expectError(64, naming: ["--device"])
        try await desk.run("campaign", "watch", "shop", campaign).expectStop(naming: "is a draft. Launch it")
    }

    private func launch(_ campaign: String, _ desk: Desk) async throws {
        let launched = try await desk.run("campaign", "launch", "shop", campaign, "--wait", "--json")
        #expect(launched.exit == .code(0), "\(launched.errors)")
        let answer = try launched.decoded(as: CampaignResponse.self)
        #expect(answer.status == .completed && answer.counts.audience == 20 && answer.counts.pending == 0)
        // On one device the app was deleted.
        #expect(answer.counts.accepted == 17 && answer.counts.rejected == 1 && answer.counts.suppressed == 2)
        #expect(launched.errors.contains("Campaign \(campaign) is completed: 100 %, 0 pending, 17 accepted"))
        #expect(!launched.errors.contains("\u{1b}"), "control sequences are written only to a terminal")
        let again = try await desk.run("campaign", "watch", "shop", campaign)
        #expect(again.exit == .code(0) && again.properties["accepted"] == "17", "\(again.errors)")

        let other: CampaignStatusResponse = try await desk.answer(
            "campaign", "create", "shop", "--title", "Later", "--body", "b", "--at", "2099-12-01T09:00:00Z", "--launch"
        )
        #expect(other.status == .scheduled)
        let scheduled = try await desk.run("campaign", "show", "shop", other.id)
        #expect(scheduled.output.contains("It starts at 2099-12-01T09:00:00.000Z."), "\(scheduled.errors)")
        _ = try await desk.run("campaign", "cancel", "shop", other.id)
        try await desk.run("campaign", "watch", "shop", other.id).expectStop(naming: "is cancelled")
    }

    private func explain(_ campaign: String, _ fleet: TestFleet, _ desk: Desk) async throws {
        let gone = try #require(fleet.members(of: .gone).first).device.id
        let list: DeviceMessagesResponse = try await desk.answer("device", "messages", "shop", gone)
        #expect(list.messages.map(\.campaign) == [campaign])
        #expect(list.messages.first?.reason == "Unregistered")
        let shown = try await desk.run("device", "messages", "shop", gone, "--limit", "1")
        #expect(shown.output.contains("the push service rejected it: 'Unregistered'"), "\(shown.errors)")
        try await desk.run("device", "messages", "shop", "nobody").expectError(1, naming: ["(404)", "[device]"])
    }
}

extension CommandOutcome {
    /// Expects the figures, and the reason why the campaign was not completed.
    fileprivate func expectStop(naming words: String, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(exit == .code(1), "\(errors)", sourceLocation: sourceLocation)
        #expect(output.contains("FIGURE"), sourceLocation: sourceLocation)
        #expect(errors.contains(words), "\(errors)", sourceLocation: sourceLocation)
    }
}
