import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

@Suite("CON-10: what operators look at")
struct OperationsTests {
    @Test("CON-10: queues are counted with the age of their oldest, on each engine")
    func queues() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let queries = OperationsQueries(database: world.database, environment: world.environment)
        let empty = try await queries.queues()
        #expect(empty.registrations == WorkQueues.Length(count: 0, oldest: nil))
        #expect(empty.silentPushes == empty.registrations && empty.batches == empty.registrations)
        let (app, start) = (world.app.id, world.clock.now)
        try await world.database.write { connection in
            try connection.write(
                [WrittenDevice(client: "d", token: "t", environment: .production)], app: app, now: start)
            try connection.execute(
                """
                INSERT INTO registrations (device_id, registration_id, revision, snapshot, status, rejected,
                    request_order, generation, received_at)
                SELECT id, 'r', 1, '{}', 'received', '[]', 0, 0, ? FROM devices
                """,
                [.date(start)]
            )
            try connection.execute(
                """
                INSERT INTO silent_pushes (device_id, app_id, reasons, carried, due_at, number, attempts)
                SELECT id, app_id, 1, 0, ?, 0, 0 FROM devices
                """,
                [.date(start)]
            )
        }
        world.clock.advance(by: 600)
        let waiting = try await queries.queues()
        #expect(waiting.registrations == WorkQueues.Length(count: 1, oldest: start))
        #expect(waiting.silentPushes == WorkQueues.Length(count: 1, oldest: start))
        #expect(waiting.plans.count == 0 && waiting.erasures.count == 0)
    }

    @Test("CON-10: a campaign that the server has paused and an app whose credentials were refused are found")
    func halted() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let queries = OperationsQueries(database: world.database, environment: world.environment)
        #expect(try await queries.halted() == HaltedSending(campaigns: [], senders: []))
        let app = world.app.id
        let now = world.clock.now
        let draft = CampaignDraft(
            name: "Sale", kind: .push, audience: .everyone, push: PushContent(title: "T", body: "B"))
        let id = try await world.database.write { connection in
            let id = try connection.campaigns.insert(draft, app: app, now: now)
            try connection.pause(id, because: "APNs: wrong topic.")
            try connection.write([WrittenDevice(client: "d", token: "t", environment: .production)], app: app, now: now)
            try connection.execute("UPDATE devices SET opt_out_reason = 'provider-authentication'")
            return id
        }
        let halted = try await queries.halted()
        #expect(halted.campaigns.map(\.id) == [id] && halted.campaigns.map(\.reason) == ["APNs: wrong topic."])
        #expect(halted.senders.map(\.app) == ["shop"] && halted.senders.map(\.devices) == [1])
    }

    @Test("CON-10: a campaign that a person has paused has not stopped by itself, whichever version has paused it")
    func pausedByPerson() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let queries = OperationsQueries(database: world.database, environment: world.environment)
        try await world.makeFleet(1)
        let (noted, former, stopped) = (try await world.launch(), try await world.launch(), try await world.launch())
        _ = try await world.campaigns.life.pause(noted, app: world.app)
        try await world.database.write { connection in
            try connection.pause(former, because: "Paused by an operator. No message is placed either.")
            try connection.pause(stopped, because: "APNs: wrong topic.")
        }
        #expect(try await queries.halted().campaigns.map(\.id) == [stopped])
    }

    @Test("CON-10: the engine, its version, the size and the schema are known, on each engine")
    func facts() async throws {
        let world = try await ServiceWorld()
        defer { withExtendedLifetime(world) {} }
        let facts = try await OperationsQueries(database: world.database, environment: world.environment).facts()
        #expect(facts.engine == (Engine.ofThisRun == .sqlite ? "SQLite" : "PostgreSQL"))
        #expect(!facts.engineVersion.isEmpty && facts.size > 0 && facts.schema == OperationsQueries.knownSchema)
    }

    @Test("CON-10: rates are what was added over the time that was looked at, and unknown before that")
    func rates() async throws {
        let world = try await ServiceWorld()
        let rates = MetricRates(world.metrics, environment: world.environment)
        rates.note()
        #expect(rates.perMinute(over: 60) == nil)
        for _ in 0..<8 {
            world.clock.advance(by: 15)
            world.metrics.add(5, to: "belfry_events_stored_total")
            world.metrics.set(7, "belfry_disk_low")
            rates.note()
        }
        #expect(rates.perMinute(over: 60) == ["belfry_events_stored_total": 20])
        world.clock.advance(by: -3_600)
        rates.note()
        #expect(rates.perMinute(over: 60) == nil, "a clock that was set back begins anew")
    }

    @Test("CON-10, SEC-3: reasons of failed sends are counted by service, within bounds, whatever a service calls them")
    func reasons() async throws {
        let metrics = Metrics()
        func failed(_ reason: String) -> DeliveryResult {
            DeliveryResult(
                update: DeliveryUpdate(
                    device: 1, state: .rejected, reason: DeliveryReason(rawValue: reason), attempts: 1),
                provider: .apns
            )
        }
        metrics.countReasons([failed("BadDeviceToken"), failed("BadDeviceToken"), failed("a\"}\n<b>")])
        let counted = metrics.values
        #expect(counted[#"belfry_delivery_failures_total{provider="apns",reason="BadDeviceToken"}"#] == 2)
        #expect(counted[#"belfry_delivery_failures_total{provider="apns",reason="a____b_"}"#] == 1)
        for number in 0..<500 { metrics.countReasons([failed("reason-\(number)")]) }
        #expect(metrics.values.count <= Metrics.maximumReasons + 1)
        #expect(metrics.values[#"belfry_delivery_failures_total{provider="apns",reason="other"}"#] ?? 0 > 0)
    }

    @Test("CON-10: one piece of quarantined work is found by its name, and nothing else is")
    func quarantined() async throws {
        let world = try await ServiceWorld()
        let now = world.clock.now
        try await world.database.write { connection in
            try connection.workAttempts.save(
                WorkAttempt(
                    subject: .registration(7), status: .quarantined, attempts: 3, leaseUntil: now, reason: "It failed.",
                    since: now
                )
            )
        }
        #expect(try await world.quarantine.find("registration-7").reason == "It failed.")
        for name in ["registration-8", "registration-07", "nonsense", ""] {
            await #expect(throws: ServiceError.self) { try await world.quarantine.find(name) }
        }
    }
}
