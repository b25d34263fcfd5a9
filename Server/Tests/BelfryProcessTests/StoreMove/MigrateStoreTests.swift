import BelfryAPI
import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfrySimulators
import BelfryStore
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import BelfryCommand

@Suite("belfry migrate-store on real deployments")
struct MigrateStoreTests {
    /// A deployment in use.
    private struct Deployment {
        let fleet: TestFleet
        let anna: DeviceCaller
        let event: String
        /// A push, a message in a message center and an in-app message.
        let campaigns: [String]
        /// Starts in half a day.
        let scheduled: String

        /// What an operator may ask of it.
        var questions: [[String]] {
            let device = anna.id
            let lists = [
                ["campaign", "list", "shop"], ["device", "list", "shop"], ["contact", "list", "shop"],
                ["app", "attributes", "shop"], ["app", "key", "list", "shop"], ["app", "settings", "shop"],
                ["app", "message-center", "list", "shop"], ["user", "list"], ["audit", "--action", "campaign.launch"],
                ["device", "show", "shop", device], ["device", "events", "shop", device],
                ["device", "messages", "shop", device], ["contact", "show", "shop", "anna"],
                ["contact", "timeline", "shop", "anna"], ["contact", "inbox", "shop", "anna"],
            ]
            let reports = (campaigns + [scheduled]).flatMap { campaign in
                [
                    ["campaign", "show", "shop", campaign],
                    ["explain", "shop", "--campaign", campaign, "--contact", "anna"],
                ]
            }
            let explanations = fleet.members.filter { $0.kind != .reachable }.map {
                ["explain", "shop", "--campaign", campaigns[0], "--device", $0.device.id]
            }
            return lists + reports + explanations
        }
    }

    @Test(
        """
        STO-4, WIRE-22, LED-1, LED-4, CAMP-5: after the move the server answers as before, device tokens are valid, and a \
        scheduled campaign is sent
        """,
        .enabled(if: ShiftedClock.isPermitted, ShiftedClock.reason), .timeLimit(.minutes(15))
    )
    func story() async throws {
        try await withStage { stage in
            let clock = try await ShiftedClock(stage)
            try await withPushService(isByAnyClock: true, clock: { clock.now }) { service in
                try await stage.withDatabase(.postgres) { database in
                    let address = try #require(database.environment["BELFRY_DATABASE"])
                    let (deployment, before) = try await stage.withServer(environment: clock.environment) { server in
                        let deployment = try await settle(stage, server, service)
                        let before = try await answers(deployment, stage, server)
                        // The data directory is in use.
                        try await migrate(stage, to: address).expectError(1, naming: ["Another server", "Stop it"])
                        #expect(await server.terminate() == .code(0))
                        return (deployment, before)
                    }
                    let file = stage.dataDirectory.appending(path: "belfry.sqlite")
                    let content = try Data(contentsOf: file)
                    let moved = try await migrate(stage, to: address)
                    #expect(moved.exit == .code(0), "\(moved.errors)")
                    #expect(moved.output.contains("are equal in") && !moved.output.contains("DIFFERENT"))
                    #expect(
                        moved.output.contains("BELFRY_SECRET_KEY=\"$(cat \(stage.dataDirectory.path)/secret-key)\""))
                    #expect(moved.errors.contains("Moving: 100 %"), "\(moved.errors)")
                    #expect(try Data(contentsOf: file) == content, "the source is never changed")
                    try await migrate(stage, to: address).expectError(1, naming: ["was moved into", "--verify-only"])
                    try await verify(stage, address)

                    let secret = try String(
                        contentsOf: stage.dataDirectory.appending(path: "secret-key"), encoding: .utf8
                    ).trimmingCharacters(in: .whitespacesAndNewlines)
                    let environment = clock.environment.merging(
                        ["BELFRY_DATABASE": address, "BELFRY_SECRET_KEY": secret]) { $1 }
                    try await stage.withServer(environment: environment) { server in
                        let after = try await answers(deployment, stage, server)
                        for (question, answer) in before { #expect(after[question] == answer, "\(question)") }
                        try await goOn(deployment, stage, server)
                        try clock.set(to: 86_400)
                        let admin = stage.admin(server)
                        let counts = try await eventually("the scheduled campaign completes") {
                            try await admin.campaign(deployment.scheduled)
                        } until: {
                            $0.status == .completed
                        }.counts
                        #expect(counts.accepted == deployment.fleet.members(of: .reachable).count)
                    }
                }
            }
        }
    }

    private func migrate(_ stage: Stage, to address: String, _ options: String...) async throws -> CommandOutcome {
        try await stage.command(
            ["migrate-store", "--data", stage.dataDirectory.path] + options, environment: ["BELFRY_DATABASE": address])
    }

    private func verify(_ stage: Stage, _ address: String) async throws {
        struct Report: Decodable {
            struct Table: Decodable {
                struct Side: Decodable, Equatable {
                    let rows: Int
                    let checksum: String
                }

                let name: String
                let source: Side
                let target: Side
                let isEqual: Bool
            }

            let isEqual: Bool
            let isFinished: Bool
            let tables: [Table]
            let next: [String]
        }

        let outcome = try await migrate(stage, to: address, "--verify-only", "--json")
        #expect(outcome.exit == .code(0), "\(outcome.errors)")
        let report = try outcome.decoded(as: Report.self)
        #expect(report.isEqual && report.isFinished && report.next.isEmpty)
        #expect(report.tables.allSatisfy { $0.isEqual && $0.source == $0.target && $0.source.checksum.count == 32 })
        let filled = report.tables.filter { $0.source.rows > 0 }.map(\.name)
        for table in ["apps", "devices", "contacts", "events", "deliveries", "center_messages", "users", "admin_keys"] {
            #expect(filled.contains(table), "\(table)")
        }
    }

    /// Devices, people and campaigns of each kind, of which all that happens by itself has happened.
    private func settle(_ stage: Stage, _ server: ServerProcess, _ service: PushService) async throws -> Deployment {
        let admin = stage.admin(server)
        try await admin.createApp()
        try await admin.putCredentials(service.credentials)
        func run(_ arguments: [String], input: String = "/dev/null") async throws {
            let outcome = try await stage.command(arguments, at: server.address, input: input)
            try #require(outcome.exit == .code(0), "\(arguments): \(outcome.errors)")
        }
        func create(_ options: [String]) async throws -> String {
            let made: CampaignStatusResponse = try await stage.answer(
                ["campaign", "create", "shop", "--title", "Sale", "--body", "Only today", "--launch"] + options,
                at: server.address)
            return made.id
        }
        try await run(["app", "attribute", "shop", "city", "string"])
        try await run(["app", "key", "create", "shop", "--scope", "read", "--label", "Reports"])
        let password = try stage.file("password", "correct horse battery staple\n")
        try await run(["user", "create", "ben", "--role", "shop=viewer"], input: password)

        let fleet = try await TestFleet.register(20, mixed: true, at: server, with: service, stage)
        let anna = try #require(fleet.members(of: .reachable).first).device
        try await anna.link(to: "anna")
        let snapshot = RegistrationSnapshot(
            deviceId: anna.id, registrationId: UUID().uuidString, revision: 1, pushEnabled: true,
            attributes: ["city": "Zürich"], system: SystemProperties(appVersion: "1.0"))
        try await anna.register(snapshot)
        try await eventually("the registration is processed") {
            try await anna.receipt(snapshot.registrationId).status
        } until: {
            $0 == .processed
        }
        let event = UUID().uuidString
        try await anna.send([.custom("cart:add", id: event, attributes: ["sku": "42"])])

        var campaigns: [String] = []
        for options in [[], ["--center", "Primary", "--without-push"], ["--type", "modal", "--trigger", "purchase"]] {
            let campaign = try await create(options)
            campaigns.append(campaign)
            try await eventually("a campaign of \(options) has come to rest") {
                try await admin.campaign(campaign)
            } until: {
                $0.status == .completed || $0.status == .active && $0.counts.audience == fleet.members.count
            }
        }
        let scheduled = try await create(["--at", Timestamp.text(Date().addingTimeInterval(43_200))])
        return Deployment(fleet: fleet, anna: anna, event: event, campaigns: campaigns, scheduled: scheduled)
    }

    private func answers(
        _ deployment: Deployment, _ stage: Stage, _ server: ServerProcess
    ) async throws -> [[String]: String] {
        var answers: [[String]: String] = [:]
        for question in deployment.questions {
            let outcome = try await stage.command(question + ["--json"], at: server.address)
            try #require(outcome.exit == .code(0) && !outcome.output.isEmpty, "\(question): \(outcome.errors)")
            answers[question] = outcome.output
        }
        return answers
    }

    /// With the tokens of before the move, and with numbers that nobody had.
    private func goOn(_ deployment: Deployment, _ stage: Stage, _ server: ServerProcess) async throws {
        let admin = stage.admin(server)
        let anna = deployment.anna
        await anna.move(to: server)
        let id = UUID().uuidString
        try await anna.send([.custom("cart:pay", id: id)])
        #expect(try await Set(admin.eventIDs(of: anna.id)).isSuperset(of: [deployment.event, id]))
        let inbox = try await anna.messageCenters()
        #expect(inbox.messageCenters.flatMap(\.messages).map(\.subject) == ["Sale"])
        let other = DeviceCaller(server: server, http: stage.http)
        try await other.link(to: "bert")
        #expect(try await admin.device(other.id).push.eligible == false)
        let next = try await admin.createCampaign("Next")
        let numbers = (deployment.campaigns + [deployment.scheduled, next]).compactMap { Int($0) }
        #expect(numbers == numbers.sorted() && Set(numbers).count == 5, "numbers go on: \(numbers)")
    }

    @Test(
        "STO-4: a move that is killed again and again ends with every row once; until then no server starts on it",
        .timeLimit(.minutes(15))
    )
    func killed() async throws {
        let seed = RunSettings.seed
        print("STO-4: BELFRY_TEST_SEED=\(seed) repeats this run's choices")
        try await withMovedStore(rows: 150) { store in
            let address = try TestPostgres.text(schema: store.target)
            try await withStage { stage in
                var random = SimulatorRandom(seed: seed)
                let move = KilledMove(store: store, stage: stage, environment: ["BELFRY_DATABASE": address])
                // The tables are there, so that the first run can find the last of them locked: however late the kill
                // is, the run has not come to its end.
                await store.beginMove(steps: 0)
                let tables = try await store.source.read { try $0.tableNames(.sqlite) }
                let lastTable = try #require(tables.filter { $0 != "schema_version" }.max())
                var isFinished = false
                for kill in 1...RunSettings.kills(20, brief: 4) where !isFinished {
                    let goal = await store.movedRows + Int.random(in: 0...1_200, using: &random)
                    let run: ProgramRun
                    if kill == 1 {
                        run = try await store.withLocked(lastTable) {
                            let first = try await move.start(beyond: goal)
                            #expect(try await store.isAtWork(), "else its end would not be noticed either")
                            await move.kill(first)
                            return first
                        }
                    } else {
                        run = try await move.start(beyond: goal)
                        await move.kill(run)
                    }
                    let exit = await run.exit
                    isFinished = exit != .signal(SIGKILL)
                    if isFinished { #expect(exit == .code(0) && kill > 1, "seed \(seed): \(run.standardError)") }
                    try await store.waitUntilFree()
                }
                guard !isFinished else { return }
                let server = try stage.startServer(
                    environment: move.environment.merging(["BELFRY_SECRET_KEY": ServerDatabase.secretKey]) { $1 })
                #expect(await server.address == nil)
                _ = await server.exit
                #expect(server.standardError.contains("belfry migrate-store"), "\(server.standardError)")
                let last = try await stage.command(move.arguments, environment: move.environment)
                #expect(last.exit == .code(0), "seed \(seed): \(last.errors)")
            }
            #expect(try await store.isEqual(), "seed \(seed)")
        }
    }

    /// Runs of the command on one store, which are killed.
    private struct KilledMove {
        let store: MovedStore
        let stage: Stage
        let environment: [String: String]

        var arguments: [String] { ["migrate-store", "--data", store.source.place.path, "--rows", "10"] }

        /// Starts one, and waits until more rows than these are moved, or it has ended.
        func start(beyond goal: Int) async throws -> ProgramRun {
            let run = try ProgramRun.start(arguments, environment: environment, folder: stage.folder)
            try await eventually("so many rows are moved", every: .milliseconds(2)) {
                (await store.movedRows, run.ended)
            } until: { rows, end in
                rows > goal || end != nil
            }
            return run
        }

        func kill(_ run: ProgramRun) async {
            run.send(SIGKILL)
            _ = await run.exit
        }
    }

    @Test("STO-4: what is missing is said, and nothing is made")
    func missing() async throws {
        try await withStage { stage in
            let address = try TestPostgres.text(schema: "none")
            try await migrate(stage, to: address).expectError(1, naming: ["no SQLite deployment", "--data"])
            #expect(!FileManager.default.fileExists(atPath: stage.dataDirectory.path))
            try Engine.sqlite.open(at: try folder(stage.dataDirectory)).close()
            try await stage.command(["migrate-store"]).expectError(1, naming: ["--database", "BELFRY_DATABASE"])
            try await migrate(stage, to: "mysql://nowhere").expectError(1, naming: ["postgres://"])
            try await migrate(stage, to: "postgres://user:open-barley@127.0.0.1:9/shop")
                .expectError(1, naming: ["shop on 127.0.0.1"])
            try await migrate(stage, to: address, "--rows", "0").expectError(64, naming: ["--rows"])
        }
    }

    private func folder(_ url: URL) throws -> URL {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return url
    }
}

@Suite("What to do after a move")
struct MoveStepsTests {
    @Test("STO-4, SEC-3: the steps name the secret's file and never the secret")
    func secret() {
        let own = MoveSteps(folder: "data", isSecretInFolder: true, isAdminKeyInFolder: true, sealed: [])
        let lines = own.lines(isFinished: true, isVerification: false)
        #expect(lines.first?.contains("$(cat data/secret-key)") == true && lines.count == 4)
        let given = MoveSteps(folder: "data", isSecretInFolder: false, isAdminKeyInFolder: false, sealed: [])
        #expect(
            given.lines(isFinished: true, isVerification: false).first?.contains("that this deployment had") == true)
        let wrong = MoveSteps(folder: "data", isSecretInFolder: false, isAdminKeyInFolder: true, sealed: ["shop/apns"])
        #expect(wrong.lines(isFinished: true, isVerification: false).first?.contains("shop/apns") == true)
        #expect(own.lines(isFinished: true, isVerification: true).isEmpty)
        #expect(own.lines(isFinished: false, isVerification: true).count == 1)
    }
}
