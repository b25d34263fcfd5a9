import BelfryModel
import BelfryPush
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// FLEET-11: rows of the ledger that end without an attempt have a trace as well.
@Suite("Traces of rows that end without an attempt")
struct EndedDeliveryTraceTests {
    private static func traces(_ id: CampaignID, _ devices: ClosedRange<Int>) throws -> Set<UUID> {
        Set(try devices.map { MessageID.make(campaign: id, device: try ServiceWorld.client($0)).uuid })
    }

    private static func inApp(_ world: ServiceWorld, _ log: TraceLog) -> InAppService {
        InAppService(database: world.database, keys: world.keys, environment: world.environment, traces: log)
    }

    @Test("FLEET-11: what a cancelled campaign ends all at once is told row by row")
    func cancelled() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let log = TraceLog(metrics: world.metrics)
        let launch = world.clock.now
        let id = try await world.launch()
        while try await world.planner.planNext() {}
        world.clock.advance(by: 60)
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        let planner = CampaignPlanner(
            database: world.database, environment: world.environment, attempts: world.attempts, traces: log,
            logger: world.logger
        )
        while try await planner.sweepCancelled() {}
        #expect(try await world.counts(id).cancelled == 3)
        let (spans, expected) = (log.take(100), try Self.traces(id, 1...3))
        #expect(spans.count == 3 && Set(spans.map(\.trace)) == expected)
        for span in spans {
            #expect(span.number == 0 && span.name == "delivery" && span.error == nil)
            #expect(span.begin == launch && span.end == world.clock.now)
            #expect(span.attributes["belfry.state"] == .text("cancelled"))
            #expect(span.attributes["belfry.reason"] == .text("campaignCancelled"))
            #expect(span.attributes["belfry.app"] == .text("shop"))
            #expect(span.attributes["belfry.campaign"] == .text("\(id)"))
            #expect(span.attributes["belfry.attempts"] == .number(0))
        }
    }

    @Test("FLEET-11, SEC-8: a row that cannot be read is not told, and keeps no other from being ended")
    func unreadable() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(3)
        let id = try await world.launch()
        while try await world.planner.planNext() {}
        let devices = try await world.database.read { connection in
            try connection.figures.rows(of: id, devices: 0...Int64.max, RecipientFilter(), limit: 10).map(\.device)
        }
        try #require(devices.count == 3)
        _ = try await world.database.write { connection in
            try connection.execute(
                "UPDATE deliveries SET state = 'unknown' WHERE campaign_id = ? AND device_id = ?",
                [.integer(id.number), .integer(devices[1])]
            )
        }
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        let planner = CampaignPlanner(
            database: world.database, environment: world.environment, attempts: world.attempts,
            traces: TraceLog(metrics: world.metrics), logger: world.logger
        )
        while try await planner.sweepCancelled() {}
        let states = try await world.database.read { connection in
            try [devices[0], devices[2]].map { try connection.deliveries.find(campaign: id, device: $0)?.state }
        }
        #expect(states == [.cancelled, .cancelled])
    }

    @Test("FLEET-11: rows that end at once are told, however many had ended before, and few statements find them")
    func sparse() async throws {
        let world = try await ServiceWorld()
        let clients = try await world.makeFleet(2)
        let id = try await world.launch()
        let (app, now) = (world.app.id, world.clock.now)
        let database = CountingDatabase(world.database)
        let ended = try await database.write { connection in
            let numbers = try clients.map { try connection.devices.find(app: app, client: $0)?.id ?? 0 }
            let first = numbers[0]
            // One look along the ledger ends before it; then come those that one statement may name, and one more.
            let reached = first + 2 * Int64(DeliveryEnding.maximumRows) - 1
            let last = reached + Int64(CampaignFigureRepository.rowsAtOnce) + 1
            try connection.renumber(.devices, from: numbers[1], to: last)
            try connection.execute(
                """
                INSERT INTO deliveries (campaign_id, device_id, state, attempts, updated_at)
                WITH RECURSIVE numbers (n) AS (
                    SELECT CAST(? AS BIGINT) UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
                SELECT ?, n, CASE WHEN n = ? OR n > ? THEN 'pending' ELSE 'accepted' END, 0, 0 FROM numbers
                """,
                [.integer(first), .integer(last), .integer(id.number), .integer(first), .integer(reached)]
            )
            return try DeliveryEnding(connection: connection, isTraced: true).pending(of: id, devices: 0...Int64.max) {
                try connection.deliveries.endPending(
                    of: id, devices: 0...Int64.max, as: .cancelled, reason: .campaignCancelled, now: now
                )
            }
        }
        #expect(ended.flatMap(\.rows).map(\.client) == clients)
        // What is pending, the look along the ledger, and two portions of the rest.
        let looks = database.written.filter { $0.key.statement.contains("FROM deliveries l") }.values.reduce(0, +)
        #expect(looks == 4)
    }

    @Test("FLEET-11: an in-app message has a trace once a device has downloaded it, or its campaign is over")
    func inApp() async throws {
        let world = try await ServiceWorld()
        let log = TraceLog(metrics: world.metrics)
        let device = try await ServiceDevice.started(world, 1)
        _ = try await ServiceDevice.started(world, 2)
        let launch = world.clock.now
        let id = try await world.offer()
        try await world.planInAppCampaigns()
        world.clock.advance(by: 60)
        let service = Self.inApp(world, log)
        for _ in 1...2 { _ = try await service.sync(since: nil, for: device.authenticated()) }
        let downloaded = log.take(100)
        #expect(downloaded.map(\.name) == ["delivery"], "it is told once")
        let (first, second) = (try Self.traces(id, 1...1), try Self.traces(id, 2...2))
        #expect(Set(downloaded.map(\.trace)) == first)
        #expect(downloaded.first?.attributes["belfry.state"] == .text("accepted"))
        #expect(downloaded.first?.begin == launch && downloaded.first?.end == world.clock.now)

        world.clock.advance(by: 60)
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        let planner = InAppPlanner(
            database: world.database, environment: world.environment, attempts: world.attempts, traces: log,
            logger: world.logger
        )
        while try await planner.closeNext() {}
        let closed = log.take(100)
        #expect(Set(closed.map(\.trace)) == second && closed.count == 1)
        #expect(closed.first?.attributes["belfry.state"] == .text("cancelled") && closed.first?.number == 0)
        #expect(closed.first?.begin == launch && closed.first?.end == world.clock.now)
    }

    @Test("FLEET-11, CAMP-4: a message that cannot be made ends its row; made later, it is told as a part of it")
    func made() async throws {
        let world = try await ServiceWorld()
        let log = TraceLog(metrics: world.metrics)
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let device = try await ServiceDevice.started(world, 1)
        _ = try await world.offer(ServiceWorld.modal("Hello {{city}}"))
        let service = Self.inApp(world, log)
        _ = try await service.sync(since: nil, for: device.authenticated())
        var teller = device
        try await teller.tell(["city": "Paris"])
        _ = try await service.sync(since: nil, for: teller.authenticated())
        let spans = log.take(100)
        #expect(spans.map(\.number) == [0, 1] && spans.map(\.name) == ["delivery", "download"])
        #expect(Set(spans.map(\.traceID)).count == 1 && spans.last?.parentID == spans.first?.spanID)
        #expect(spans.map { $0.attributes["belfry.state"] } == [.text("suppressed"), .text("accepted")])
        #expect(spans.first?.attributes["belfry.reason"] == .text("renderError"))
        // What was to be said is no part of it.
        #expect(!spans.flatMap { $0.attributes.values }.contains { "\($0)".contains("Hello") })
    }

    @Test("FLEET-11, SEC-8: what is dropped from quarantine is told row by row")
    func dropped() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(2)
        let id = try await world.launch()
        _ = try await world.deaths(by: { try $0.figures.counts(of: id).accepted > 0 }) {
            database, attempts, number in
            await world.dispatcher("\(number)", database: database, attempts: attempts).runUntilIdle()
        }
        let work = try #require(try await world.quarantined().first)
        let log = TraceLog(metrics: world.metrics)
        let service = QuarantineService(
            database: world.database, environment: world.environment, signals: ServiceSignals(), traces: log
        )
        _ = try await service.drop(work.name, app: world.app.id)
        let (spans, expected) = (log.take(100), try Self.traces(id, 1...2))
        #expect(spans.count == 2 && Set(spans.map(\.trace)) == expected)
        #expect(spans.map(\.error) == ["quarantined", "quarantined"])
        #expect(spans.allSatisfy { $0.attributes["belfry.state"] == .text("rejected") })
    }

    @Test("FLEET-11: where nobody collects traces nothing more is asked of the database")
    func untraced() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        _ = try await world.offer()
        func asked(_ traces: TraceLog?) async throws -> Int {
            let database = CountingDatabase(world.database)
            let service = InAppService(
                database: database, keys: world.keys, environment: world.environment, traces: traces
            )
            _ = try await service.sync(since: nil, for: device.authenticated())
            return (Array(database.asked.keys) + Array(database.written.keys)).map(\.statement)
                .count { $0.contains("FROM deliveries l WHERE l.campaign_id") }
        }
        #expect(try await asked(nil) == 0)
        #expect(try await asked(TraceLog(metrics: world.metrics)) > 0)
    }
}
