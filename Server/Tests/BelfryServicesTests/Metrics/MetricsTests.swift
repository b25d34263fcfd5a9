import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryStore
import CoreMetrics
import Foundation
import Synchronization
import Testing

@testable import BelfryServices

@Suite("Metrics")
struct MetricsTests {
    @Test("FLEET-11: what swift-metrics counts in is written as Prometheus reads it")
    func text() {
        let metrics = Metrics()
        let calls = Counter(label: "belfry_calls_total", dimensions: [("route", "/a\"\\\n")], factory: metrics)
        calls.increment()
        calls.increment(by: 2)
        Gauge(label: "belfry_held", factory: metrics).record(7)
        let depth = Meter(label: "belfry_depth", factory: metrics)
        depth.set(4.4)
        depth.increment()
        let wait = CoreMetrics.Timer(label: "belfry_wait_seconds", dimensions: [("by", "x")], factory: metrics)
        // One exactly at a bound belongs to its bucket; one beyond the last to none but the whole.
        for seconds in [0.005, 0.3, 3_600] { wait.recordNanoseconds(Int64(seconds * 1_000_000_000)) }
        _ = CoreMetrics.Timer(label: "belfry_unused_seconds", factory: metrics)
        let lines = metrics.prometheusText().split(separator: "\n")
        #expect(lines.contains(#"belfry_calls_total{route="/a\"\\\n"} 3"#))
        #expect(lines.contains("belfry_held 7") && lines.contains("belfry_depth 5"))
        #expect(lines.filter { $0.hasPrefix("# TYPE") }.count == 4)
        #expect(lines.contains("# TYPE belfry_wait_seconds histogram"))
        func bucket(_ bound: String) -> Int? {
            let start = "belfry_wait_seconds_bucket{by=\"x\",le=\"\(bound)\"} "
            return lines.first { $0.hasPrefix(start) }.flatMap { Int($0.dropFirst(start.count)) }
        }
        #expect(["0.0025", "0.005", "0.25", "0.5", "30", "+Inf"].map(bucket) == [0, 1, 1, 2, 2, 3])
        #expect(lines.contains(#"belfry_wait_seconds_sum{by="x"} 3600.305"#))
        #expect(lines.contains(#"belfry_wait_seconds_count{by="x"} 3"#))
        #expect(!metrics.prometheusText().contains("unused"))
        // A sample is one line; a type is said before the first of its family.
        #expect(lines.allSatisfy { $0.hasPrefix("# TYPE ") || $0.wholeMatch(of: /\w+(\{.*\})? [0-9.]+/) != nil })
    }

    @Test("FLEET-11: the same name is the same series, whoever asks for it; a destroyed one is gone")
    func shared() {
        let metrics = Metrics()
        let one = Counter(label: "belfry_a_total", dimensions: [("x", "1")], factory: metrics)
        let other = Counter(label: "belfry_a_total", dimensions: [("x", "1")], factory: metrics)
        one.increment()
        other.increment()
        metrics.add(1, to: #"belfry_a_total{x="1"}"#)
        #expect(metrics.values == [#"belfry_a_total{x="1"}"#: 3])
        one.destroy()
        #expect(metrics.values.isEmpty)
    }

    @Test("FLEET-11: database errors are counted by SQLSTATE or by SQLite's word, and nothing else becomes a label")
    func databaseErrors() {
        let metrics = Metrics()
        for state in ["40001", "40001", "XX000", "", "40 01", "4000\"", "éééé", "123456"] {
            metrics.countDatabaseError(state)
        }
        metrics.countSQLiteError("ioerr_fsync")
        metrics.countRepeatedTransaction("deadlock")
        #expect(
            metrics.values == [
                #"belfry_database_errors_total{sqlstate="40001"}"#: 2,
                #"belfry_database_errors_total{sqlstate="XX000"}"#: 1,
                #"belfry_database_errors_total{sqlstate="other"}"#: 5,
                #"belfry_database_errors_total{sqlite="ioerr_fsync"}"#: 1,
                #"belfry_database_repeated_total{reason="deadlock"}"#: 1,
            ])
    }

    @Test("FLEET-11: a campaign leaves the size of its audience and the time of each answer of a push service")
    func campaign() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        world.transport.answer("token2", .silence, .accepted)
        _ = try await world.launch()
        try await world.sendToTheEnd()
        let lines = world.metrics.prometheusText().split(separator: "\n")
        #expect(lines.contains(#"belfry_campaign_audience_size_bucket{le="1"} 0"#))
        #expect(lines.contains(#"belfry_campaign_audience_size_bucket{le="10"} 1"#))
        #expect(lines.contains("belfry_campaign_audience_size_sum 3"))
        // Who did not answer took no time that says anything.
        #expect(lines.contains(#"belfry_push_duration_seconds_count{provider="apns"} 3"#))
        #expect(lines.contains("belfry_batches_in_work 0"))
    }

    @Test("FLEET-11: queues are shown with the age of their oldest, and the database's connections with their use")
    func queues() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let queues = world.gauge(
            .queues(OperationsQueries(database: world.database, environment: world.environment)))
        let connections = world.gauge(
            .connections(
                pools: { [ConnectionPoolUse(name: "writer", size: 4, lent: 2, waiting: 1)] },
                questions: { QuestionLaneUse(underWay: 2, waiting: 3) }
            ))
        let (app, start) = (world.app.id, world.clock.now)
        let campaign = try #require(CampaignID(1 as Int64))
        try await world.database.write { connection in
            try connection.write(
                [WrittenDevice(client: "d", token: "t", environment: .production)], app: app, now: start)
            try connection.execute(
                """
                INSERT INTO silent_pushes (device_id, app_id, reasons, carried, due_at, number, attempts)
                SELECT id, app_id, 1, 0, ?, 0, 0 FROM devices
                """,
                [.date(start)]
            )
            // One is under way, and waits no more.
            for second in 0...2 {
                _ = try connection.rehearsals.insert(
                    campaign: campaign, app: app, version: "v", now: start.addingTimeInterval(TimeInterval(second))
                )
            }
            _ = try connection.rehearsals.claim(owner: "a", until: start.addingTimeInterval(60), now: start)
        }
        world.clock.advance(by: 90)
        await queues.look()
        await connections.look()
        let values = world.metrics.values
        #expect(values[#"belfry_queue_length{queue="silentPushes"}"#] == 1)
        #expect(values[#"belfry_queue_age_seconds{queue="silentPushes"}"#] == 90)
        #expect(values[#"belfry_queue_age_seconds{queue="registrations"}"#] == 0)
        #expect(values[#"belfry_queue_length{queue="rehearsals"}"#] == 2)
        #expect(values[#"belfry_queue_age_seconds{queue="rehearsals"}"#] == 89)
        #expect(values["belfry_questions_under_way"] == 2 && values["belfry_questions_waiting"] == 3)
        #expect(values[#"belfry_database_connections_used{pool="writer"}"#] == 2)
        #expect(values[#"belfry_database_connections_awaited{pool="writer"}"#] == 1)
    }

    @Test("CLI-2: each gauge has a name of its own")
    func names() async throws {
        let world = try await ServiceWorld()
        let (database, environment) = (world.database, world.environment)
        let questions: [GaugeQuestion] = [
            .quarantine(in: database), .partitions(of: database, environment: environment),
            .queues(OperationsQueries(database: database, environment: environment)),
            .connections(pools: { [] }, questions: { QuestionLaneUse(underWay: 0, waiting: 0) }),
            .damage(DamageMark(in: URL(filePath: "/nowhere"), now: environment.now, logger: world.logger)),
        ]
        let names = questions.map { question in world.gauge(question).name }
        #expect(Set(names).count == questions.count, "\(names)")
    }

    @Test("FLEET-11: a gauge whose question has no answer keeps its value, and the reason is logged")
    func unanswered() async throws {
        let world = try await ServiceWorld()
        let answers = AnswersInTurn([["belfry_held": 3], nil, ["belfry_held": 0]])
        let gauge = world.gauge(GaugeQuestion(name: "held", failure: "nobody knows") { try answers.next() })
        var held: [Int?] = []
        for _ in 1...3 {
            await gauge.look()
            held.append(world.metrics.values["belfry_held"])
        }
        #expect(held == [3, 3, 0])
        let logged = world.log.entries.filter { "\($0.message)" == "nobody knows" }
        #expect(logged.map(\.level) == [.error])
    }
}

/// What a question answers each time it is asked; nil where it has no answer.
private final class AnswersInTurn: Sendable {
    private struct NoAnswer: Error {}

    private let rest: Mutex<[[String: Int]?]>

    init(_ answers: [[String: Int]?]) {
        rest = Mutex(answers)
    }

    func next() throws -> [String: Int] {
        guard let answer = rest.withLock({ $0.removeFirst() }) else { throw NoAnswer() }
        return answer
    }
}
