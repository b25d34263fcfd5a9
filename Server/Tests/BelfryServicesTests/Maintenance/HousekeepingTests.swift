import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import ServiceLifecycleTestKit
import Testing

struct HousekeepingTests {
    private static let day: TimeInterval = 86_400

    private func keepEvents(for days: Int?, of app: AppRecord? = nil, in world: ServiceWorld) async throws {
        let app = app ?? world.app
        try await world.database.write { connection in
            var settings = app.settings
            settings.eventRetentionDays = days
            try connection.apps.save(settings: settings, of: app.id)
        }
    }

    @Test("EVT-7: events are removed after the app's retention since receipt, whatever their own time")
    func events() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        let wrong = ServiceWorld.epoch.addingTimeInterval(-9e9)
        for number in 0..<4 {
            try await device.refresh()
            try await device.track(.test("e\(number)", at: wrong))
            world.clock.advance(by: Self.day)
        }
        // Received four, three, two and one days ago.
        await world.housekeeping.tidy()
        #expect(try await world.owners().count == 4)
        for (days, left) in [(4, ["e0", "e1", "e2", "e3"]), (3, ["e1", "e2", "e3"]), (1, ["e3"])] {
            try await keepEvents(for: days, in: world)
            await world.housekeeping.tidy()
            #expect(try await world.owners().keys.sorted() == left)
        }
    }

    @Test("EVT-7, SEC-2: a write of the upkeep removes as many long events as it may, and further writes the others")
    func longEvents() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.started(world, 1)
        try await world.giveHistory(device.client, events: 7)
        let text = #"{"k":""# + String(repeating: "x", count: MoveRoom.maximumBytes / 3) + #""}"#
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE events SET attributes = ?", [.text(text)])
        }
        try await keepEvents(for: 1, in: world)
        let dying = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                let left = try connection.first("SELECT count(*) FROM events", []) { $0.integer(0) }
                return (left ?? 0) < 7
            }
        )
        await Housekeeping(
            database: dying, environment: world.environment, attempts: world.attempts, logger: world.logger
        ).tidy()
        #expect(try await world.rows("events") == 4)
        world.clock.advance(by: 60)
        await world.housekeeping.tidy()
        #expect(try await world.rows("events") == 0)
    }

    @Test("EVT-7: another app's events stay")
    func otherApp() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        try await ServiceDevice.started(world, 1).track(.test("e1"))
        try await keepEvents(for: 1, of: other, in: world)
        world.clock.advance(by: 9 * Self.day)
        await world.housekeeping.tidy()
        #expect(try await world.rows("events") == 1)
    }

    @Test("REG-21: processed registrations are removed after 30 days, except each device's newest")
    func registrations() async throws {
        let world = try await ServiceWorld()
        var devices: [ServiceDevice] = []
        for number in 1...2 {
            var device = try await ServiceDevice.started(world, number)
            for _ in 0..<3 { try await device.tell([:]) }
            devices.append(device)
        }
        _ = try await devices[1].register()
        world.clock.advance(by: 30 * Self.day)
        await world.housekeeping.tidy()
        #expect(try await world.rows("registrations") == 7)
        world.clock.advance(by: 1)
        await world.housekeeping.tidy()
        let left = try await world.database.read { connection in
            try connection.query("SELECT device_id, revision FROM registrations ORDER BY id", []) {
                [$0.integer(0), $0.integer(1)]
            }
        }
        #expect(left == [[1, 3], [2, 4]])
        try await devices[0].refresh()
        // A restored device still learns where to continue.
        let restored = devices[0].snapshot(revision: 1)
        let response = try await devices[0].send(restored)
        #expect(response.revision == 3)
    }

    @Test("SEC-2: a write of the upkeep that has taken long removes no further registration: each may be long")
    func slowRegistrations() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        for _ in 0..<101 { try await device.register() }
        try await world.process()
        world.clock.advance(by: 31 * Self.day)
        let dying = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                let left = try connection.first("SELECT count(*) FROM registrations", []) { $0.integer(0) }
                return (left ?? 0) < 101
            }
        )
        await Housekeeping(
            database: dying, environment: world.slowEnvironment, attempts: world.attempts, logger: world.logger
        ).tidy()
        // Twenty go at a time, and after each a fifth of a second of half a second has passed.
        #expect(try await world.rows("registrations") == 41)
        await world.housekeeping.tidy()
        #expect(try await world.rows("registrations") == 1)
    }

    @Test("SEC-2: a write of the upkeep that has taken long removes no further response: each may be long")
    func slowAnswers() async throws {
        let world = try await ServiceWorld()
        try await world.database.write { connection in
            for number in 0..<101 {
                try connection.execute(
                    """
                    INSERT INTO idempotent_answers (principal, idempotency_key, request_hash, status, body, created_at)
                    VALUES ('root', ?, ?, 200, '{}', ?)
                    """,
                    [.text("k\(number)"), .blob([1]), .date(ServiceWorld.epoch)]
                )
            }
        }
        world.clock.advance(by: 2 * Self.day)
        let dying = MortalDatabase(
            world.database,
            isLastWrite: { connection in
                let left = try connection.first("SELECT count(*) FROM idempotent_answers", []) { $0.integer(0) }
                return (left ?? 0) < 101
            }
        )
        await Housekeeping(
            database: dying, environment: world.slowEnvironment, attempts: world.attempts, logger: world.logger
        ).tidy()
        // Twenty go at a time, and after each a fifth of a second of half a second has passed.
        #expect(try await world.rows("idempotent_answers") == 41)
        await world.housekeeping.tidy()
        #expect(try await world.rows("idempotent_answers") == 0)
    }

    @Test("REG-21: of registrations with one revision the last received stays")
    func sameRevision() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        for _ in 0..<3 {
            let snapshot = device.snapshot(revision: 5)
            _ = try await device.send(snapshot)
        }
        try await world.process()
        let last = try await world.database.read { connection in
            try connection.first("SELECT max(id) FROM registrations", []) { $0.integer(0) }
        }
        world.clock.advance(by: 31 * Self.day)
        await world.housekeeping.tidy()
        let left = try await world.database.read { connection in
            try connection.query("SELECT id FROM registrations", []) { $0.integer(0) }
        }
        #expect(left == [last ?? 0])
    }

    @Test("ADM-1, ADM-3: stored responses are removed after a day, the audit log after 400; erased ids never")
    func others() async throws {
        let world = try await ServiceWorld()
        let client = try ServiceWorld.client(1)
        let (app, epoch) = (world.app, ServiceWorld.epoch)
        try await world.database.write { connection in
            try connection.execute("DELETE FROM audit_log")
            try connection.audit.append(AuditEntry(at: epoch, actor: "root", app: nil, action: "read", target: nil))
            try connection.erasedDevices.insert([client], app: app.id, now: epoch)
            try connection.execute(
                """
                INSERT INTO idempotent_answers (principal, idempotency_key, request_hash, status, body, created_at)
                VALUES ('root', 'k', ?, 200, '{}', ?)
                """,
                [.blob([1]), .date(epoch)]
            )
        }
        for (age, responses, lines) in [(1, 1, 1), (1.001, 0, 1), (400, 0, 1), (400.001, 0, 0), (4_000, 0, 0)] {
            world.clock.advance(to: epoch.addingTimeInterval(age * Self.day))
            await world.housekeeping.tidy()
            #expect(try await world.rows("idempotent_answers") == responses, "\(age)")
            #expect(try await world.rows("audit_log") == lines, "\(age)")
        }
        #expect(try await world.rows("erased_devices") == 1)
    }

    @Test(
        "FLEET-2, FLEET-1: openings of devices and contacts that a program of schema 25 has erased go within a day",
        arguments: Engine.ofEachRun)
    func openings(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var devices: [ServiceDevice] = []
        for number in 1...3 {
            let device = try await ServiceDevice.registered(world, number, key: "p\(number)")
            try await device.track(
                Event(id: EventID("s1"), kind: .internal, name: .sessionStart, timestamp: world.clock.now)
            )
            devices.append(device)
        }
        #expect(try await world.rows("device_openings") == 3)
        #expect(try await world.rows("contact_openings") == 3)
        await world.housekeeping.tidy()
        #expect(try await world.rows("device_openings") == 3, "they have their owners")
        #expect(try await world.rows("contact_openings") == 3)
        try await world.database.write { connection in
            // That program does not know the narrow tables.
            try connection.execute("DELETE FROM contacts WHERE contact_key = 'p2'")
            try connection.execute("DELETE FROM devices WHERE contact_id NOT IN (SELECT id FROM contacts)")
        }
        await world.housekeeping.tidy(daily: false)
        #expect(try await world.rows("device_openings") == 3)
        await world.housekeeping.tidy()
        #expect(try await world.rows("device_openings") == 2)
        #expect(try await world.rows("contact_openings") == 2)
        #expect(try await world.rows("device_openings", where: "device_id IN (SELECT id FROM devices)") == 2)
        #expect(try await world.rows("contact_openings", where: "contact_id IN (SELECT id FROM contacts)") == 2)
        let first = try await world.profile(devices[0])
        #expect(first.device.lastOpenedAt == world.clock.now && first.contact?.lastOpenedAt == world.clock.now)
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("EVT-7: events are checked at the start and once a day, until the server ends")
    func everyDay() async throws {
        let world = try await ServiceWorld()
        try await keepEvents(for: 1, in: world)
        let device = try await ServiceDevice.started(world, 1)
        try await device.track(.test("e1"))
        let housekeeping = world.housekeeping
        await testGracefulShutdown { trigger in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await housekeeping.run() }
                for _ in 0..<24 {
                    await world.clock.asleep(atLeast: 1)
                    world.clock.advance(by: 3_600)
                }
                for _ in 0..<24 {
                    // A day old to the moment, and then older, until the day's next look.
                    await world.clock.asleep(atLeast: 1)
                    let kept = try? await world.rows("events")
                    #expect(kept == 1)
                    world.clock.advance(by: 3_600)
                }
                await world.clock.asleep(atLeast: 1)
                let left = try? await world.rows("events")
                #expect(left == 0)
                trigger.triggerGracefulShutdown()
            }
        }
    }

    @Test("EVT-7, REL-6: when the clock leaps ahead nothing is removed for its age for a day, and then it is")
    func leap() async throws {
        let world = try await ServiceWorld()
        try await keepEvents(for: 1, in: world)
        let device = try await ServiceDevice.started(world, 1)
        try await device.track(.test("e1"))
        let housekeeping = world.housekeeping
        await testGracefulShutdown { trigger in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await housekeeping.run() }
                await world.clock.asleep(atLeast: 1)
                world.clock.advance(by: 3 * 86_400)
                for _ in 0..<24 {
                    await world.clock.asleep(atLeast: 1)
                    let kept = try? await world.rows("events")
                    #expect(kept == 1)
                    world.clock.advance(by: 3_600)
                }
                await world.clock.asleep(atLeast: 1)
                let left = try? await world.rows("events")
                #expect(left == 0)
                trigger.triggerGracefulShutdown()
            }
        }
        let warnings = world.log.entries.filter { "\($0.message)".contains("the clock was set ahead") }
        #expect(warnings.count == 1)
    }
}
