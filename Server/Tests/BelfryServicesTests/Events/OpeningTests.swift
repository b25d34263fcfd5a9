import BelfryCampaigns
import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// When an app was last opened is heard from its sessions, for an opening alone makes no registration.
struct OpeningTests {
    private static let day: TimeInterval = 86_400
    private static let recently = Condition.deviceFact(.lastOpenedAt, .greaterOrEqual("-P30D"))

    private static func session(_ id: String, at date: Date, _ name: EventName = .sessionStart) throws -> Event {
        try Event(id: EventID(id), kind: .internal, name: name, timestamp: date)
    }

    private static func opened(_ device: ServiceDevice) async throws -> [Date?] {
        let profile = try await device.world.profile(device)
        return [profile.device.lastOpenedAt, profile.contact?.lastOpenedAt]
    }

    @Test("REG-22, CAMP-3: a session updates the last app open of device and contact, and audiences follow")
    func sessions() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "anna")
        #expect(try await Self.opened(device) == [nil, nil])
        world.clock.advance(by: 40 * Self.day)
        let opened = world.clock.now
        try await device.refresh()
        try await device.track(Self.session("s1", at: opened))
        #expect(try await Self.opened(device) == [opened, opened])
        let idle = try await ServiceDevice.registered(world, 2, key: "bert")
        try await idle.track(
            Self.session("b1", at: opened, .appStart),
            Event(id: EventID("b2"), kind: .custom, name: .sessionStart, timestamp: opened)
        )
        #expect(try await Self.opened(idle) == [nil, nil], "a process may start by itself, an app may name its events")
        let campaign = try await world.launch(audience: Self.recently)
        while try await world.planner.planNext() {}
        #expect(try await world.counts(campaign).audience == 1)
        #expect(try await world.delivery(campaign, device) != nil)
    }

    @Test("REG-22: earlier, repeated and future sessions neither lower nor overshoot it")
    func order() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "anna")
        let now = world.clock.now
        let (early, late) = (now.addingTimeInterval(-7_200), now.addingTimeInterval(-3_600))
        try await device.track(Self.session("s2", at: late))
        try await device.track(Self.session("s1", at: early))
        #expect(try await Self.opened(device) == [late, late])
        try await device.track(Self.session("s3", at: now.addingTimeInterval(Self.day)))
        #expect(try await Self.opened(device) == [now, now])
        let changed = try await world.profile(device).device.updatedAt
        world.clock.advance(by: 60)
        try await device.track(Self.session("s3", at: world.clock.now))
        #expect(try await Self.opened(device) == [now, now], "an event counts once")
        #expect(try await world.profile(device).device.updatedAt == changed)
    }

    @Test(
        "FLEET-2: sessions within a day write neither the device's row nor the audience's nor the contact's",
        arguments: Engine.ofEachRun)
    func hotRow(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let device = try await ServiceDevice.registered(world, 1, key: "anna")
        let tables = ["devices", "contacts", "audience_\(world.app.id)"]
        try await world.database.write { try $0.noteRowVersions(of: tables, engine) }
        func versions() async throws -> [[String]] {
            try await world.database.read { connection in
                try tables.map { try connection.rowVersions(of: $0, engine) }
            }
        }
        try await device.track(Self.session("s0", at: world.clock.now))
        let before = try await versions()
        for number in 1...5 {
            world.clock.advance(by: 60)
            try await device.track(
                Self.session("s\(number)", at: world.clock.now), Event.test("e\(number)", at: world.clock.now)
            )
            #expect(try await Self.opened(device) == [world.clock.now, world.clock.now])
        }
        #expect(try await versions() == before)
    }

    @Test("ADM-5, REG-36: the later opening counts after a merge, and goes with the person")
    func mergedAndErased() async throws {
        let world = try await ServiceWorld()
        var openings: [Date] = []
        for (number, key) in ["anna", "ann", "bert"].enumerated() {
            var device = try await ServiceDevice.registered(world, number + 1, key: key)
            try await device.identify(key)
            for part in 0..<2 {
                world.clock.advance(by: 60)
                try await device.track(Self.session("s\(part)", at: world.clock.now))
            }
            openings.append(world.clock.now)
        }
        _ = try await world.contacts.merge("ann", into: "anna", field: "into", app: world.app)
        let anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.lastOpenedAt == openings[1])
        #expect(Set(anna.devices.compactMap(\.lastOpenedAt)) == Set(openings.prefix(2)))
        #expect(try await world.rows("contact_openings") == 2)
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await world.rows("device_openings") == 1)
        #expect(try await world.rows("contact_openings") == 1)
        #expect(try await world.directory.contact("bert", app: world.app).contact.lastOpenedAt == openings[2])
    }

    @Test("REG-22, ID-7: the session of a former person does not count for the next one")
    func formerPerson() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "anna")
        try await device.identify("anna")
        let reference = device.contactReference
        let opened = world.clock.now
        world.clock.advance(by: 60)
        try await device.identify("bert")
        let event = try Event(
            id: EventID("s1"), kind: .internal, name: .sessionStart, timestamp: opened, contactReference: reference
        )
        try await device.track(event)
        #expect(try await Self.opened(device) == [opened, nil])
        #expect(try await world.directory.contact("anna", app: world.app).contact.lastOpenedAt == opened)
    }
}
