import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("One timeline of what happened to a person")
struct TimelineTests {
    private static func timeline(
        _ world: ServiceWorld, _ key: String, kind: TimelineKind? = nil
    ) async throws -> [TimelineEntry] {
        try await world.explainer.timeline(of: .key(key), app: world.app, kind: kind, limit: 200).entries
    }

    private static func pages(_ world: ServiceWorld, _ key: String, of limit: Int) async throws -> [TimelineEntry] {
        var (entries, cursor): ([TimelineEntry], String?) = ([], nil)
        repeat {
            let page = try await world.explainer.timeline(
                of: .key(key), app: world.app, cursor: cursor, limit: limit
            )
            entries += page.entries
            cursor = page.cursor
        } while cursor != nil
        return entries
    }

    private static func track(_ device: ServiceDevice, _ name: String) async throws {
        var event = try Event.test(name, try EventName(name), kind: .custom, at: device.world.clock.now)
        event.attributes = #"{"sku":"42"}"#
        try await device.track(event)
    }

    /// Ann has a device, which Bert takes over.
    private static func story(_ world: ServiceWorld) async throws -> ServiceDevice {
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        world.clock.advance(by: 60)
        try await device.identify("ann")
        world.clock.advance(by: 60)
        try await device.register {
            $0.contactKey = "ann"
            $0.pushToken = "annstoken"
            $0.attributes = ["city": "Paris", "shoe": 42]
        }
        try await world.process()
        world.clock.advance(by: 60)
        try await track(device, "purchase")
        world.clock.advance(by: 60)
        _ = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await world.sendToTheEnd()
        world.clock.advance(by: 60)
        try await device.linkAnonymously()
        world.clock.advance(by: 60)
        try await device.identify("bert")
        world.clock.advance(by: 60)
        try await device.register { $0.contactKey = "bert" }
        try await world.process()
        world.clock.advance(by: 60)
        try await track(device, "return")
        return device
    }

    @Test("CON-9: events, registrations with what was rejected, links, messages and decisions, newest first")
    func story() async throws {
        let world = try await ServiceWorld()
        let device = try await Self.story(world)
        let ann = try await Self.timeline(world, "ann")
        #expect(
            ann.map(\.what) == [
                "logout", "placed", "accepted", "purchase", "partlyRejected", "login", "anonymous",
            ]
        )
        #expect(ann.map(\.at) == ann.map(\.at).sorted(by: >))
        #expect(ann.map(\.kind) == [.link, .message, .decision, .event, .registration, .link, .link])
        #expect(ann[2].sentence.contains("The push service accepted it") && ann[2].campaign?.name == "News")
        #expect(ann[3].attributes == ["sku": "42"] && ann[3].client == device.client)
        #expect(ann[4].rejected.map(\.field) == ["attributes.shoe"] && ann[4].sentence.contains("attributes.shoe"))
        // What came after her on the same phone is another person's.
        let bert = try await Self.timeline(world, "bert")
        #expect(bert.map(\.what) == ["return", "processed", "login", "anonymous"])
        for kind in TimelineKind.allCases {
            #expect(try await Self.timeline(world, "ann", kind: kind) == ann.filter { $0.kind == kind }, "\(kind)")
        }
    }

    @Test("CON-9, ADM-7: pages of whatever size are the same timeline", arguments: [1, 2, 3, 5])
    func pages(_ limit: Int) async throws {
        let world = try await ServiceWorld()
        let device = try await Self.story(world)
        // Many of one moment, from several sources.
        for number in 1...6 { try await Self.track(device, "same-\(number)") }
        _ = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await world.sendToTheEnd()
        for key in ["ann", "bert"] {
            #expect(try await Self.pages(world, key, of: limit) == Self.timeline(world, key), "\(key)")
        }
        let rejected = await errorCode {
            try await world.explainer.timeline(of: .key("ann"), app: world.app, cursor: "a.b", limit: 5)
        }
        #expect(rejected == "invalidCursor")
    }

    @Test("CON-9, ADM-5: a merged person has both timelines, and a revocation is in it")
    func mergedAndRevoked() async throws {
        let world = try await ServiceWorld()
        var first = try await ServiceDevice.started(world, 1)
        try await first.identify("ann")
        try await Self.track(first, "one")
        world.clock.advance(by: 60)
        var second = try await ServiceDevice.started(world, 2)
        try await second.identify("anna")
        try await Self.track(second, "two")
        world.clock.advance(by: 60)
        _ = try await world.contacts.merge("anna", into: "ann", field: "into", app: world.app)
        let merged = try await Self.timeline(world, "ann")
        #expect(merged.filter { $0.kind == .event }.map(\.what) == ["two", "one"])
        #expect(merged.first?.what == "merged")
        world.clock.advance(by: 60)
        let number = try await second.row.id
        try await world.links.revoke(installation: number, of: .key("ann"), app: world.app)
        #expect(try await Self.timeline(world, "ann").first?.what == "revoked")
        #expect(
            await errorCode {
                try await world.links.revoke(installation: number, of: .key("ann"), app: world.app)
            } == "notFound"
        )
    }

    @Test("CON-9, ADM-4: with a person goes the memory of where they were logged in; of a device the newest is kept")
    func bounded() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        // Each turn has two rows or more.
        for _ in 1...ContactLinkRepository.maximumRows / 2 {
            world.clock.advance(by: 1)
            try await device.identify("ann")
            world.clock.advance(by: 1)
            try await device.linkAnonymously()
        }
        let (kept, most) = (try await world.rows("contact_links"), ContactLinkRepository.maximumRows)
        #expect(kept == most || kept == most + 1)
        #expect(try await Self.timeline(world, "ann", kind: .link).first?.what == "logout")
        let number = try await world.directory.person(.key("ann"), app: world.app).contact.id
        _ = try await world.contacts.erase(.number(number), app: world.app)
        #expect(try await world.rows("contact_links", where: "contact_id = \(number)") == 0)
        #expect(await errorCode { try await Self.timeline(world, "ann") } == "notFound")
    }

    @Test(
        "CON-9, SEC-2: what campaigns say is read for decisions alone, and once for each campaign",
        arguments: Engine.ofEachRun)
    func contents(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var phone = InAppPhone(try await ServiceDevice.registered(world, 1, key: "ann", token: "token1"))
        _ = try await ServiceDevice.registered(world, 2, key: "ann", token: "token2")
        _ = try await world.offer()
        try await phone.sync()
        _ = try await world.launch()
        try await world.sendToTheEnd()
        func read(_ kind: TimelineKind) async throws -> (entries: Int, campaigns: Int, contents: Int) {
            let counting = CountingDatabase(world.database)
            let explainer = Explainer(database: counting, environment: world.environment)
            let page = try await explainer.timeline(of: .key("ann"), app: world.app, kind: kind, limit: 200)
            let contents = counting.asked.filter { sql, _ in sql.statement.contains("c.content") }
            return (
                page.entries.count, Set(page.entries.compactMap(\.campaign?.id)).count,
                contents.values.reduce(0, +)
            )
        }
        let messages = try await read(.message)
        #expect(messages.entries > 0 && messages.campaigns > 0 && messages.contents == 0)
        let decisions = try await read(.decision)
        #expect(decisions.entries > decisions.campaigns && decisions.contents == decisions.campaigns)
    }

    @Test(
        "CON-9, SEC-2: a page ends behind some megabytes of events, and the next one goes on there",
        arguments: Engine.ofEachRun)
    func longEvents(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        let (number, app, start) = (try await device.row.id, world.app.id, world.clock.now)
        let contact = try await world.directory.person(.key("ann"), app: world.app).contact.id
        let (count, length) = (100, 60_000)
        try await world.database.write { connection in
            let text = String(repeating: "x", count: length)
            for second in 1...count {
                let at = start.addingTimeInterval(Double(second))
                let event = Event(
                    id: try EventID("e-\(second)"), kind: .custom, name: try EventName("visit"), timestamp: at,
                    attributes: #"{"text":"\#(text)"}"#
                )
                _ = try connection.events.insert(
                    event, device: number, app: app, contact: contact, at: at, receivedAt: at
                )
            }
        }
        // Amid the events; the first links are older than all of them.
        world.clock.advance(by: Double(count / 2))
        try await device.linkAnonymously()
        let first = try await world.explainer.timeline(of: .key("ann"), app: world.app, limit: 200)
        let events = first.entries.filter { $0.kind == .event }.count
        #expect(first.cursor != nil && events < count && events * length <= (4 << 20) + EventLimits.maximumBytes)
        let (large, small) = (try await Self.pages(world, "ann", of: 200), try await Self.pages(world, "ann", of: 7))
        let moments = large.map(\.at)
        #expect(large.map(\.what) == small.map(\.what) && moments == small.map(\.at))
        #expect(moments == moments.sorted(by: >))
        let kinds = large.map(\.kind).filter { $0 == .event }
        #expect(kinds.count == count && large.map(\.what).contains("logout"))
    }

    @Test("CON-9: a campaign whose content cannot be read has its name, and what became of it is not said")
    func unreadable() async throws {
        let world = try await ServiceWorld()
        _ = try await Self.story(world)
        let readable = try await Self.timeline(world, "ann")
        try await world.database.write { connection in
            _ = try connection.execute("UPDATE campaigns SET content = 'no JSON'", [])
        }
        let unreadable = try await Self.timeline(world, "ann")
        #expect(unreadable.map(\.what) == readable.map(\.what))
        #expect(unreadable.map(\.campaign?.name) == readable.map(\.campaign?.name))
        let decisions = unreadable.filter { $0.kind == .decision }
        #expect(decisions.map(\.campaign?.name) == ["News"] && decisions.map(\.what) == ["accepted"])
        let sentences = decisions.map(\.sentence)
        #expect(
            sentences == ["The outcome is not known: the campaign or the device cannot be read."]
        )
    }

    @Test(
        "CON-9, SEC-8: a timeline and an explanation list none of the contacts that went into a person's",
        arguments: Engine.ofEachRun)
    func mergedContacts(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        let campaign = try await world.launch()
        func textBytes(of key: String, merged count: Int, _ number: Int) async throws -> Int {
            var device = try await ServiceDevice.started(world, number)
            try await device.identify(key)
            try await Self.track(device, "visit")
            try await world.mergeContacts(count, into: key)
            let counting = CountingDatabase(world.database)
            let explainer = Explainer(database: counting, environment: world.environment)
            let page = try await explainer.timeline(of: .key(key), app: world.app, limit: 200)
            #expect(Set(page.entries.map(\.what)) == ["visit", "login", "anonymous"])
            _ = try await explainer.explain(campaign, contact: key, app: world.app)
            return counting.textBytes
        }
        let one = try await textBytes(of: "ann", merged: 1, 1)
        let many = try await textBytes(of: "bob", merged: 1_000, 2)
        #expect(many - one < 100, "\(one), \(many)")
    }
}
