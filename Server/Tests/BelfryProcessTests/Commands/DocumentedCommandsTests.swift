import BelfryServerTestSupport
import Foundation
import Testing

@testable import BelfryBench
@testable import BelfryCommand
@testable import BelfryProgram

@Suite("Commands in the documents")
struct DocumentedCommandsTests {
    @Test(
        "CLI-1, CLI-3, CLI-4, ADM-2: the README's first push with curl works as it is written",
        .timeLimit(.minutes(10))
    )
    func firstPush() async throws {
        try await withStage { stage in
            let block = try DocumentedCommands.block(after: "<!-- first-push", in: "README.md")
            // The same lines on other ports, so that they do not disturb a server of the reader.
            let base = try await FreePorts.first(of: 3)
            let lines = block.replacing("8080", with: "\(base)").replacing("8443", with: "\(base + 1)")
                .replacing("8444", with: "\(base + 2)")
            let folder = try ProgramFile.locate().deletingLastPathComponent()
            let output = try await stage.shell(
                """
                mkdir -p Server/.build && ln -s '\(folder.path)' Server/.build/debug
                export BELFRY_SERVER=http://127.0.0.1:\(base)
                trap 'kill $(jobs -p); wait' EXIT
                \(lines)
                """
            )
            #expect(output.contains(#"\"body\":\"Your first push\",\"title\":\"Hello\""#), "\(output)")
            #expect(output.contains("The push service accepted it"), "\(output)")
        }
    }

    @Test(
        "CLI-1, EVT-3, ID-3, ID-4, MC-3, BADGE-1, ENG-4, IAM-3, IAM-4, IAM-10: the demonstration ends with one JSON object that adds up",
        .timeLimit(.minutes(10)), arguments: Engine.allCases
    )
    func demonstration(_ engine: Engine) async throws {
        var place = ""
        if engine == .postgres {
            let server = try #require(ProcessInfo.processInfo.environment[TestPostgres.variable])
            place = " --database '\(server)'"
        }
        try await demonstrate(in: place)
    }

    @Test(
        "FLEET-6: the demonstration ends with the same figures on a Citus cluster",
        .enabled(if: TestCitus.isThere, TestCitus.reason), .timeLimit(.minutes(20))
    )
    func distributedDemonstration() async throws {
        let server = try #require(ProcessInfo.processInfo.environment[TestCitus.variable])
        try await demonstrate(in: " --database '\(server)' --distributed")
    }

    /// - Parameter place: the options that name the database.
    private func demonstrate(in place: String) async throws {
        try await withStage { stage in
            let belfry = try ProgramFile.locate()
            let output = try await stage.shell("'\(belfry.path)' demo --exit --json --devices 60\(place)")
            let line = try #require(output.split(separator: "\n").last)
            let report = try JSONDecoder().decode(DemonstrationReport.self, from: Data(line.utf8))
            #expect(report.devices == 60)
            #expect(report.registered == 60)
            // Of twenty: twelve log in, two of these out; two are killed, and lose nothing.
            #expect(report.people == .init(loggedIn: 36, killed: 6, recovered: 6, loggedOut: 6))
            // Of twenty: one opts out in the app, one in the system, one has deleted the app, one has an invalid token.
            #expect(
                report.push
                    == .init(audience: 60, accepted: 48, suppressed: 6, rejected: 6, displayed: 48, opened: 24)
            )
            // The first twenty use APNs, the second FCM, and the third are browsers.
            let apns = DemonstrationReport.Push(
                audience: 36, accepted: 32, suppressed: 2, rejected: 2, displayed: 32, opened: 12
            )
            #expect(report.services.apns.figures == .init(devices: 36, registered: 36, push: apns))
            let others = [(report.services.fcm, opened: 8), (report.services.webpush, opened: 4)]
            for (service, opened) in others {
                let push = DemonstrationReport.Push(
                    audience: 12, accepted: 8, suppressed: 2, rejected: 2, displayed: 8, opened: opened
                )
                #expect(service.figures == .init(devices: 12, registered: 12, push: push))
            }
            let services = [report.services.apns, report.services.fcm, report.services.webpush]
            #expect(services.reduce(0) { $0 + $1.people.loggedIn } == 36)
            #expect(services.reduce(0) { $0 + $1.people.recovered } == 6)
            try checkCenters(JSONDecoder().decode(DemonstrationCenters.self, from: Data(line.utf8)))
            try checkInApp(JSONDecoder().decode(DemonstrationInApp.self, from: Data(line.utf8)))
        }
    }

    /// Of twenty, twelve open what they see; one of the twelve has deleted the app, three others get no push.
    private func checkCenters(_ report: DemonstrationCenters) throws {
        let center = report.messageCenter
        // Opted-out devices get the message, too. A deleted app fetches nothing.
        #expect(center.audience == 60 && center.accepted == 60 && center.suppressed == 0 && center.rejected == 0)
        #expect(center.fetched == 57 && center.displayed == 57 && center.opened == 33)
        // Tokens that the first campaign found to be wrong are not tried again.
        #expect(
            center.keptPush
                == .init(audience: 60, accepted: 48, suppressed: 12, rejected: 0, displayed: 48, opened: 24)
        )
        // Nor does the kept message need a push (MC-16): each of the 57 has both messages.
        #expect(center.richContents == 33 && center.read == 66 && center.unread == 48)
        #expect(center.badged == 57 && center.badgesAgreed == 57)
        let services = report.services.mapValues(\.messageCenter)
        #expect(services.mapValues(\.fetched) == ["apns": 35, "fcm": 11, "webpush": 11])
        let figures: [KeyPath<DemonstrationCenters.Center, Int>] = [
            \.audience, \.accepted, \.displayed, \.opened, \.badged, \.keptPush.accepted, \.keptPush.displayed,
        ]
        for figure in figures {
            #expect(services.values.reduce(0) { $0 + $1[keyPath: figure] } == center[keyPath: figure], "\(figure)")
        }
    }

    /// Of twenty, nineteen still have the app; those of them that get pushes and are not browsers get a silent push.
    private func checkInApp(_ report: DemonstrationInApp) throws {
        let messages = report.inApp
        #expect(
            messages
                == .init(
                    audience: 60, accepted: 57, suppressed: 0, cancelled: 3, displayed: 57, opened: 33, displays: 114,
                    woken: 40, greeted: 57, edited: 57, recalled: 57
                )
        )
        let services = report.services.mapValues(\.inApp)
        #expect(services.mapValues(\.accepted) == ["apns": 35, "fcm": 11, "webpush": 11])
        #expect(services.mapValues(\.woken) == ["apns": 32, "fcm": 8, "webpush": 0])
        // The campaigns' own counts, and what the ledger and the devices say.
        let figures: [KeyPath<DemonstrationInApp.Messages, Int>] = [
            \.audience, \.accepted, \.suppressed, \.cancelled, \.displayed, \.opened, \.displays, \.greeted,
        ]
        for figure in figures {
            #expect(services.values.reduce(0) { $0 + $1[keyPath: figure] } == messages[keyPath: figure], "\(figure)")
        }
    }

    @Test("CLI-4: the program accepts every command line of the operations page")
    func commandLines() throws {
        let lines = try DocumentedCommands.block(after: "<!-- admin-commands", in: "Docs/Operations.md")
            .split(separator: "\n")
        #expect(lines.count > 20)
        for line in lines { try Self.expectAccepted(line) }
    }

    @Test("CLI-4, FLEET-10: the program accepts every command line of the pages for operators")
    func operatorsPages() throws {
        for page in try DocumentedCommands.operatorsPages() {
            for line in try DocumentedCommands.lines(of: page) where line.hasPrefix("belfry ") {
                try Self.expectAccepted(Substring(line), "\(page): ")
            }
        }
    }

    private static func expectAccepted(_ line: Substring, _ place: String = "") throws {
        var words = DocumentedCommands.words(line)
        #expect(words.removeFirst() == "belfry", "\(place)\(line)")
        // One that goes on beside the others, and one that asks somebody who is not here.
        if words.last == "&" { words.removeLast() }
        if words.first == "erase" { words.append("--yes") }
        let arguments = words
        #expect(throws: Never.self, "\(place)\(line)") { _ = try BelfryProgram.parseAsRoot(arguments) }
    }

    @Test("CLI-5: each target whose subject is built has a benchmark, and the documents name its command")
    func everyTarget() throws {
        let benchmarks = [
            "PERF-1": "push", "PERF-2": "campaign", "PERF-3": "intake", "PERF-4": "intake", "PERF-5": "registration",
            "PERF-6": "audience", "PERF-7": "message-center", "PERF-8": "sdk", "PERF-9": "sdk", "PERF-10": "serve",
            "PERF-12": "console", "PERF-13": "rehearsal", "PERF-15": "engines",
        ]
        let targets = try ProjectFile.text("Docs/Specification/targets.md")
        // A mark behind the id says that there is nothing to measure yet, unless it names a part.
        let rows = targets.split(separator: "\n").map { $0.split(separator: " ") }
        let asked = rows.compactMap { (words: [Substring]) -> String? in
            guard words.count > 4, words[1].hasPrefix("PERF-"), words[2] == "|" || words[4] == "yet:" else {
                return nil
            }
            return String(words[1])
        }
        // PERF-14 is about building the project, which the program does not do.
        #expect(Set(asked).subtracting(["PERF-14"]) == Set(benchmarks.keys))
        let commands = Set(BenchCommand.configuration.subcommands.map { $0._commandName })
        let guide = try ProjectFile.text("Docs/Benchmarks.md")
        for (target, command) in benchmarks {
            #expect(commands.contains(command), "\(target)")
            #expect(guide.contains("belfry bench \(command)"), "\(target)")
        }
        #expect(commands == Set(benchmarks.values).union(["cluster", "fleet", "in-app", "kills", "soak"]))
    }
}

/// The JSON output of the demonstration.
private struct DemonstrationReport: Decodable {
    struct Push: Decodable, Equatable {
        var audience: Int, accepted: Int, suppressed: Int, rejected: Int, displayed: Int, opened: Int
    }
    struct People: Decodable, Equatable {
        var loggedIn: Int, killed: Int, recovered: Int, loggedOut: Int
    }
    struct Figures: Equatable {
        var devices: Int, registered: Int, push: Push
    }
    struct Service: Decodable {
        var devices: Int, registered: Int, people: People, push: Push

        var figures: Figures { Figures(devices: devices, registered: registered, push: push) }
    }
    struct Services: Decodable {
        var apns: Service, fcm: Service, webpush: Service
    }

    var devices: Int
    var registered: Int
    var people: People
    var push: Push
    var services: Services
}

/// Its part about message centers.
private struct DemonstrationCenters: Decodable {
    struct Center: Decodable {
        var audience: Int, accepted: Int, suppressed: Int, rejected: Int, displayed: Int, opened: Int
        var fetched: Int, badged: Int, richContents: Int, read: Int, unread: Int, badgesAgreed: Int
        var keptPush: DemonstrationReport.Push
    }
    struct Service: Decodable {
        var messageCenter: Center
    }

    var messageCenter: Center
    var services: [String: Service]
}

/// Its part about in-app messages.
private struct DemonstrationInApp: Decodable {
    struct Messages: Decodable, Equatable {
        var audience: Int, accepted: Int, suppressed: Int, cancelled: Int, displayed: Int, opened: Int, displays: Int
        var woken: Int, greeted: Int, edited: Int, recalled: Int
    }
    struct Service: Decodable {
        var inApp: Messages
    }

    var inApp: Messages
    var services: [String: Service]
}
