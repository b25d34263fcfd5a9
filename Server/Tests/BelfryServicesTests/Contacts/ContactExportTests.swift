import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

@Suite("The export of a person")
struct ContactExportTests {
    /// All parts, one after the other.
    private static func parts(_ world: ServiceWorld, _ key: String) async throws -> [ContactExport.Part] {
        var parts: [ContactExport.Part] = []
        try await world.contacts.export(key, app: world.app).forEachPart { parts.append($0) }
        return parts
    }

    @Test(
        "ADM-4: an export has devices, events, messages, the ledger and in-app messages of the person, and nobody else's"
    )
    func whole() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        // A device that was hers, and is somebody else's now.
        var shared = try await ServiceDevice.started(world, 1)
        try await shared.identify("ann")
        try await shared.track(.test("hers"))
        let before = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        world.clock.advance(by: 60)
        try await shared.linkAnonymously()
        try await shared.identify("bert")
        try await shared.track(.test("his"))
        var own = try await ServiceDevice.started(world, 2)
        try await own.identify("ann")
        try await own.tell(["city": "Paris"], key: "ann", tags: ["a"])
        try await own.putToken("token2")
        try await own.track(.test("e1"), .test("e2"))
        let after = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await world.sendToTheEnd()

        let export = try await world.contacts.export("ann", app: world.app)
        #expect(export.contact.key == "ann" && export.contact.attributes == ["city": "Paris"])
        var tags: [String] = []
        var (devices, events, messages): ([String], [String], [CampaignID]) = ([], [], [])
        var deliveries: [String] = []
        for part in try await Self.parts(world, "ann") {
            switch part {
            case .devices(let page):
                devices += page.map { "\($0.client) \($0.device?.pushToken?.value ?? "left")" }
            case .events(let page): events += page.map(\.event.eventID)
            case .messages(let page): messages += page.map(\.stored.message.campaign)
            case .deliveries(let page):
                deliveries += page.map {
                    "\($0.client == own.client) \($0.delivery.campaign) \($0.campaign?.name ?? "")"
                }
            case .inAppMessages(let page): #expect(page.isEmpty)
            case .tags(let page): tags += page
            case .aliases, .links, .registrations, .rehearsals: continue
            }
        }
        #expect(tags == ["a"] && devices == ["\(own.client) token2", "\(shared.client) left"])
        #expect(events == ["e1", "e2", "hers"])
        #expect(messages == [before, after])
        #expect(deliveries == ["true \(after) News", "false \(before) News"])
    }

    @Test("ADM-4: an export is read in pages, however much it is, and each row comes once")
    func pages() async throws {
        let world = try await ServiceWorld()
        let clients = try await world.makeFleet(230)
        let app = world.app.id
        try await world.database.write { connection in
            let guest = try connection.contacts.findOrInsert(
                app: app, key: "guest", known: true, now: ServiceWorld.epoch
            )
            try connection.execute(
                "UPDATE devices SET contact_id = ? WHERE app_id = ?", [.integer(guest), .integer(app)]
            )
        }
        try await world.giveHistory(clients[0], events: 1_203)
        try await world.giveHistory(clients[229], events: 500)
        var largest = 0
        var (devices, events): ([DeviceID], [String]) = ([], [])
        for part in try await Self.parts(world, "guest") {
            switch part {
            case .devices(let page):
                devices += page.map(\.client)
                largest = max(largest, page.count)
            case .events(let page):
                events += page.map { "\($0.client) \($0.event.eventID)" }
                largest = max(largest, page.count)
            case .aliases, .tags, .links, .registrations, .messages, .deliveries, .inAppMessages, .rehearsals: continue
            }
        }
        #expect(largest == 500, "no part is longer than a page")
        #expect(devices == clients)
        #expect(events.count == 1_703 && Set(events).count == 1_703)
    }

    @Test("ADM-4: an unknown contact is refused, and a former key exports the contact that it leads to")
    func keys() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "ann")
        _ = try await world.contacts.rename("ann", to: "anna", field: "to", app: world.app)
        let export = try await world.contacts.export("ann", app: world.app)
        #expect(export.contact.key == "anna")
        var aliases: [String] = []
        try await export.forEachPart { part in
            if case .aliases(let page) = part { aliases += page }
        }
        #expect(aliases.contains("ann"))
        #expect(await errorCode { try await world.contacts.export("nobody", app: world.app) } == "notFound")
    }

    @Test("ADM-4: an erased person's name is gone from audiences, whom others in them still belong to")
    func audiences() async throws {
        let world = try await ServiceWorld()
        let ann = try await ServiceDevice.registered(world, 1, key: "ann-karenina")
        let bert = try await ServiceDevice.registered(world, 2, key: "bert")
        _ = try await world.contacts.rename("ann-karenina", to: "anna-karenina", field: "to", app: world.app)
        let audience = Condition.any([
            .all([.contactKeys(["ann-karenina", "bert"]), .known(true)]),
            .not(.deviceIDs([ann.client.rawValue.lowercased(), bert.client.rawValue])), .contactKeys(["anna-karenina"]),
        ])
        let draft = try await world.campaigns.drafts.create(ServiceWorld.draft(audience: audience), app: world.app).id
        let other = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app)
        _ = try await world.contacts.erase("anna-karenina", app: world.app)
        #expect(
            try await world.campaign(draft).draft.audience
                == .any([
                    .all([.contactKeys(["bert"]), .known(true)]), .not(.deviceIDs([bert.client.rawValue])),
                    .contactKeys([]),
                ])
        )
        #expect(try await world.campaign(other.id).draft == other.draft)
        let traces = try await world.database.read { try $0.traces(of: "karenina", .ofThisRun) }
        #expect(traces == [])
        #expect(try await world.campaigns.life.launch(draft, app: world.app).status == .sending)
        try await world.sendToTheEnd()
        #expect(try await world.counts(draft).audience == 1)
    }

    @Test("ADM-4: the receipt of an erasure says what was removed and when, and is found by its name in its app alone")
    func receipt() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        try await device.track(.test("e1"), .test("e2"))
        _ = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let receipt = try await world.contacts.erase("ann", app: world.app)
        #expect(receipt.removed == RemovedCounts(devices: 1, events: 2, messages: 1, deliveries: 1))
        #expect(receipt.startedAt == world.clock.now && receipt.endedAt == world.clock.now)
        world.clock.advance(by: 86_400 * 400)
        #expect(try await world.contacts.receipt(receipt.name, app: world.app) == receipt)
        let other = try await world.apps.create(code: "other", name: "Other").app
        #expect(await errorCode { try await world.contacts.receipt(receipt.name, app: other) } == "notFound")
        // Newest first, page by page.
        _ = try await ServiceDevice.registered(world, 2, key: "bert")
        let second = try await world.contacts.erase("bert", app: world.app)
        let page = try await world.contacts.receipts(app: world.app, before: nil, limit: 1)
        #expect(page.receipts == [second])
        let rest = try await world.contacts.receipts(app: world.app, before: page.next, limit: 1)
        #expect(rest.receipts == [receipt] && rest.next == nil)
    }
}
