import BelfryServerTestSupport
import BelfryTestSupport
import Foundation
import Testing

@testable import BelfryBench

/// No figure is judged here: a test may run on any machine, however busy it is.
@Suite("The benchmarks", .enabled(if: Endurance.isOn, "make endurance runs them"))
struct BenchTests {
    @Test(
        "PERF-8, PERF-9: the SDK benchmark tracks and starts as often as told, with the backlog",
        .timeLimit(.minutes(10))
    )
    func sdk() async throws {
        struct Report: Decodable {
            struct Starts: Decodable {
                var backlog: Int
                var count: Int
                var callerMilliseconds: Double
                var initMilliseconds: Double
                var longestMilliseconds: Double
                var returnedMilliseconds: Double
            }
            var events: Int
            var queued: Int
            var p50Microseconds: Double
            var p99Microseconds: Double
            var commitMicroseconds: Double
            var start: Starts
            var startWithoutBacklog: Starts
        }
        let report: Report = try await bench("sdk --events 1000 --backlog 300 --opens 3")
        #expect(report.events == 1_000)
        #expect(report.queued >= 1_000)
        #expect(report.p50Microseconds > 0)
        #expect(report.p50Microseconds <= report.p99Microseconds)
        #expect(report.commitMicroseconds > 0)
        #expect(report.start.backlog == 300)
        #expect(report.startWithoutBacklog.backlog == 0)
        for starts in [report.start, report.startWithoutBacklog] {
            #expect(starts.count == 3)
            #expect(starts.returnedMilliseconds > 0)
            // The thread that calls is busy with `init` at least.
            #expect(starts.initMilliseconds > 0)
            #expect(starts.initMilliseconds <= starts.longestMilliseconds)
            #expect(starts.callerMilliseconds <= starts.longestMilliseconds)
        }
    }

    @Test(
        "PERF-10: the server benchmark starts on a fresh and on an existing directory, and measures it idle",
        .timeLimit(.minutes(10))
    )
    func serve() async throws {
        struct Report: Decodable {
            var rounds: Int
            var freshMilliseconds: Double
            var existingMilliseconds: Double
            var longestMilliseconds: Double
            var idleRSSBytes: Int?
            var idleCPUPercent: Double?
        }
        let report: Report = try await bench("serve --rounds 1 --settling 0 --idle 1")
        #expect(report.rounds == 1)
        #expect(report.freshMilliseconds > 0)
        #expect(report.existingMilliseconds > 0)
        #expect(report.longestMilliseconds == max(report.freshMilliseconds, report.existingMilliseconds))
        #if os(Linux)
            let memory = try #require(report.idleRSSBytes)
            #expect(memory > 1_000_000)
            let processor = try #require(report.idleCPUPercent)
            #expect(processor >= 0)
        #endif
    }

    @Test(
        "REL-1: the kill benchmark ends a server while it stores events: none acknowledged is lost, none is half there",
        .timeLimit(.minutes(10)), arguments: Engine.allCases
    )
    func kills(_ engine: Engine) async throws {
        struct Report: Decodable {
            var kills: Int
            var medianMilliseconds: Double
            var longestMilliseconds: Double
            var longestLogBytes: Int?
            var medianWrittenBytes: Int?
            var acknowledged: Int
            var stored: Int
            var lost: Int
            var half: Int
            var seed: UInt64
        }
        // It fails when a start is slow; a test does not judge that.
        var place = ""
        if engine == .postgres {
            let server = try #require(ProcessInfo.processInfo.environment[TestPostgres.variable])
            place = " --database '\(server)'"
        }
        let report: Report = try await bench("kills --kills 2 --load 1 --devices 4 --seed 7\(place)", mayFail: true)
        #expect(report.kills == 2)
        #expect(report.medianMilliseconds > 0)
        #expect(report.medianMilliseconds <= report.longestMilliseconds)
        #expect((report.longestLogBytes != nil) == (engine == .sqlite))
        #expect(report.longestLogBytes != 0, "the log was hot")
        #expect((report.medianWrittenBytes != nil) == (engine == .postgres))
        #expect(report.seed == 7)
        #expect(report.acknowledged > 0 && report.lost == 0 && report.half == 0)
        #expect(report.stored >= report.acknowledged)
    }

    @Test(
        "REL-7: the soak benchmark makes calls of every kind, sends campaigns, and the ledger adds up",
        .timeLimit(.minutes(20))
    )
    func soak() async throws {
        struct Report: Decodable {
            struct Sample: Decodable {
                var seconds: Double
                var calls: Int
            }
            var samples: [Sample]
            var calls: [String: Int]
            var failures: Int
            var firstFailure: String?
            var arrivals: Int
            var departures: Int
            var campaigns: Int
            var unsettled: Int
        }
        // It fails when anything grows, which a minute on a busy machine cannot tell.
        let report: Report = try await bench("soak --minutes 1 --devices 20 --phones 4 --rate 30", mayFail: true)
        #expect(Set(report.calls.keys) == Set(SoakAction.allCases.map(\.rawValue)))
        #expect(report.failures == 0, "\(report.firstFailure ?? "")")
        #expect(report.samples.count > 10 && report.samples.map(\.calls).reduce(0, +) > 100)
        #expect(report.arrivals > 20 && report.departures > 0)
        #expect(report.campaigns >= 5, "one of each kind")
        #expect(report.unsettled == 0)
    }

    @Test(
        "PERF-6: the audience benchmark runs its queries, and a scan of the JSON finds the same",
        .timeLimit(.minutes(10))
    )
    func audience() async throws {
        struct Report: Decodable {
            var devices: Int
            var scanDevices: Int
            var indexedDevices: Int
            var scanMilliseconds: Double
            var indexedMilliseconds: Double
            var jsonMilliseconds: Double
            var agrees: Bool
        }
        let report: Report = try await bench("audience --devices 20000 --rounds 2")
        #expect(report.devices == 20_000 && report.agrees)
        #expect((8_000...16_000).contains(report.scanDevices))
        #expect((1...199).contains(report.indexedDevices))
        #expect(report.scanMilliseconds > 0 && report.indexedMilliseconds > 0 && report.jsonMilliseconds > 0)
    }

    @Test(
        "PERF-3, PERF-4: the intake benchmark stores what was acknowledged, beside /healthz and the express lane",
        .timeLimit(.minutes(10)), arguments: [1, 50]
    )
    func intake(_ eventsPerRequest: Int) async throws {
        struct Report: Decodable {
            var devices: Int
            var eventsPerRequest: Int
            var non2xx: Int
            var healthzPerSecond: Double
            var laneRequestsPerSecond: Double
            var eventsPerSecond: Double
            var ratio: Double
            var laneRatio: Double
        }
        // It fails when the lane has not answered each request of its own.
        let report: Report = try await bench(
            "intake --events-per-request \(eventsPerRequest) --devices 20 --rounds 1 --duration 2 --connections 4"
        )
        #expect(report.devices == 20 && report.eventsPerRequest == eventsPerRequest && report.non2xx == 0)
        #expect(report.healthzPerSecond > 0 && report.eventsPerSecond > 0 && report.ratio > 0)
        #expect(report.laneRequestsPerSecond > 0 && report.laneRatio > 0)
    }

    @Test(
        "PERF-5: the registration benchmark has all processed, beside /healthz and the express lane",
        .timeLimit(.minutes(20))
    )
    func registrations() async throws {
        struct Report: Decodable {
            struct Paced: Decodable {
                var count: Int
                var failed: Int
            }
            var non2xx: Int
            var healthzPerSecond: Double
            var laneRequestsPerSecond: Double
            var registrationsPerSecond: Double
            var ratio: Double
            var laneRatio: Double
            var paced: Paced
        }
        let report: Report = try await bench(
            "registration --devices 20000 --rounds 1 --duration 1 --connections 4 --rate 50"
        )
        #expect(report.non2xx == 0 && report.paced.count == 500 && report.paced.failed == 0)
        #expect(report.healthzPerSecond > 0 && report.registrationsPerSecond > 0 && report.ratio > 0)
        #expect(report.laneRequestsPerSecond > 0 && report.laneRatio > 0)
    }

    @Test(
        "PERF-7: the message center benchmark fills centers, and reads whole responses by an index",
        .timeLimit(.minutes(10)), arguments: [("", 20), ("--all-centers", 60)]
    )
    func messageCenters(_ option: String, answer: Int) async throws {
        struct Report: Decodable {
            var messages: Int
            var contacts: Int
            var centers: Int
            var devices: Int
            var messagesPerAnswer: Int
            var answerBytes: Int
            var non2xx: Int
            var healthzPerSecond: Double
            var laneRequestsPerSecond: Double
            var fetchesPerSecond: Double
            var ratio: Double
            var laneRatio: Double
            var plan: [String]
        }
        let shape = "--messages 30000 --centers 3 --devices 20 --rounds 1 --duration 2 --connections 4"
        let report: Report = try await bench("message-center \(shape) \(option)")
        #expect(report.messages == 30_000 && report.contacts == 500 && report.centers == 3 && report.devices == 20)
        #expect(report.messagesPerAnswer == answer && report.answerBytes > answer * 100)
        #expect(report.non2xx == 0)
        #expect(report.healthzPerSecond > 0 && report.fetchesPerSecond > 0 && report.ratio > 0)
        #expect(report.laneRequestsPerSecond > 0 && report.laneRatio > 0)
        #expect(report.plan.contains { $0.hasPrefix("SEARCH m USING") }, "\(report.plan)")
        #expect(!report.plan.contains { $0.contains("SCAN") || $0.contains("TEMP B-TREE") }, "\(report.plan)")
    }

    @Test(
        "PERF-7: the in-app benchmark syncs with valid cursors, and one query finds nothing new",
        .timeLimit(.minutes(10))
    )
    func inApp() async throws {
        struct Report: Decodable {
            var devices: Int
            var campaigns: Int
            var answerBytes: Int
            var non2xx: Int
            var healthzPerSecond: Double
            var laneRequestsPerSecond: Double
            var fetchesPerSecond: Double
            var ratio: Double
            var laneRatio: Double
            var plan: [String]
        }
        let report: Report = try await bench(
            "in-app --devices 100 --campaigns 3 --rounds 1 --duration 2 --connections 4"
        )
        #expect(report.devices == 100 && report.campaigns == 3 && report.non2xx == 0)
        // A cursor and two empty lists.
        #expect((30...200).contains(report.answerBytes))
        #expect(report.healthzPerSecond > 0 && report.fetchesPerSecond > 0 && report.ratio > 0)
        #expect(report.laneRequestsPerSecond > 0 && report.laneRatio > 0)
        #expect(report.plan.count == 3 && report.plan.allSatisfy { $0.hasPrefix("SEARCH ") }, "\(report.plan)")
    }

    @Test(
        "PERF-15: the benchmark of engines runs the others on SQLite and on PostgreSQL, and prints the ratios",
        .timeLimit(.minutes(20))
    )
    func engines() async throws {
        struct Report: Decodable {
            struct Figure: Decodable {
                var work: String
                var sqlite: Double
                var postgres: Double
                var ratio: Double
            }
            var figures: [Figure]
            var isSynced: Bool
        }
        let server = try #require(ProcessInfo.processInfo.environment[TestPostgres.variable])
        let shape = "--devices 10 --messages 2000 --registrations 20000 --connections 4 --seconds 1 --rounds 1"
        let report: Report = try await bench("engines --database '\(server)' \(shape)")
        // A campaign needs a sink that takes everything.
        let works = EnginesBenchReport.Work.allCases.filter { $0 != .campaign }
        #expect(report.figures.map(\.work) == works.map(\.rawValue))
        for figure in report.figures {
            #expect(figure.sqlite > 0 && figure.postgres > 0 && figure.ratio > 0, "\(figure.work)")
        }
    }

    @Test(
        "FLEET-8: the benchmark of a fleet does each kind of work on SQLite and on PostgreSQL, and tells its cost",
        .timeLimit(.minutes(30))
    )
    func fleet() async throws {
        struct Report: Decodable {
            struct Table: Decodable {
                var name: String
                var inserts: Int
                var updates: Int
            }
            struct Phase: Decodable {
                var work: String
                var operations: Int
                var perSecond: Double
                var cpuSecondsPer1000: Double?
                var logBytesPer1000: Double?
                var slowestMilliseconds: Double?
                var tables: [Table]
            }
            struct Week: Decodable {
                var storedBytes: Int
                var freeBytes: Int?
                var hotShare: Double?
                var tables: [Table]
            }
            struct Engine: Decodable {
                var name: String
                var phases: [Phase]
                var week: Week
            }
            var devices: Int
            var days: Int
            var engines: [Engine]
        }
        let server = try #require(ProcessInfo.processInfo.environment[TestPostgres.variable])
        let report: Report = try await bench("fleet --fleet 200 --operations 500 --database '\(server)'")
        // Campaigns need a sink that takes everything.
        #expect(report.devices == 200 && report.days == 0 && report.engines.count == 2)
        let works = FleetWork.allCases.filter { $0 != .campaigns }
        for engine in report.engines {
            #expect(engine.phases.map(\.work) == works.map(\.rawValue), "\(engine.name)")
            #expect(engine.phases.allSatisfy { $0.operations > 0 && $0.perSecond > 0 }, "\(engine.name)")
            #expect(engine.week.storedBytes > 0)
        }
        let (sqlite, postgres) = (report.engines[0], report.engines[1])
        #expect(sqlite.name.hasPrefix("SQLite ") && postgres.name.hasPrefix("PostgreSQL "))
        #expect(sqlite.week.tables.isEmpty && sqlite.week.freeBytes != nil && postgres.week.freeBytes == nil)
        let opening = try #require(postgres.phases.first { $0.work == FleetWork.openings.rawValue })
        let events = try #require(opening.tables.first { $0.name == "events" })
        #expect(events.inserts >= 200 * (1 + FleetShape.eventsOfOpening))
        let written = try #require(opening.logBytesPer1000)
        #expect(written > 0)
        #expect((0...1).contains(postgres.week.hotShare ?? 0))
        #if os(Linux)
            #expect(sqlite.phases.allSatisfy { $0.cpuSecondsPer1000 != nil })
        #endif
    }

    @Test(
        "CLI-5, PERF-1: the push benchmark gets a response to each send, and prints its ratio to h2load",
        .timeLimit(.minutes(10))
    )
    func push() async throws {
        struct Report: Decodable {
            var requests: Int
            var answered: Int
            var perSecond: Double
            var h2loadPerSecond: Double?
            var ratio: Double?
            var failures: [String: Int]
        }
        try await withPushService { service in
            let sink = "\(service.addresses.url(of: .production))/3/device/"
            let report: Report = try await bench("push --sink \(sink) --requests 500 --in-flight 50 --insecure")
            #expect(report.requests == 500 && report.answered == 500 && report.failures.isEmpty)
            #expect(report.perSecond > 0)
            #expect((report.h2loadPerSecond != nil) == (URL.program(named: "h2load") != nil))
            guard let reference = report.h2loadPerSecond, let ratio = report.ratio else { return }
            #expect(reference > 0 && abs(ratio - report.perSecond / reference) < 0.01)
        }
    }

    /// Runs `belfry bench` and reads the last line that it printed.
    /// - Parameter mayFail: a benchmark that judges its figures; here they are not.
    private func bench<Report: Decodable>(_ arguments: String, mayFail: Bool = false) async throws -> Report {
        let belfry = try ProgramFile.locate()
        var report: Report?
        try await withStage { stage in
            let output = stage.folder.appending(path: "output.txt")
            let run = try ProgramRun.start(
                ["-c", "'\(belfry.path)' bench \(arguments) --json >'\(output.path)'"],
                program: URL(filePath: "/bin/bash"), folder: stage.folder
            )
            let exit = await run.exit
            #expect(exit == .code(0) || mayFail && exit == .code(1), "\(run.standardError)")
            let line = try #require(try String(contentsOf: output, encoding: .utf8).split(separator: "\n").last)
            report = try JSONDecoder().decode(Report.self, from: Data(line.utf8))
        }
        return try #require(report)
    }
}
