import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation
import Testing

@testable import BelfryServices

/// PERF-7: most syncs have nothing new, and cost one look.
struct InAppQuietTests {
    private static func quietPhone(_ world: ServiceWorld) async throws -> InAppPhone {
        var phone = InAppPhone(try await ServiceDevice.registered(world, 1, key: "anna"))
        _ = try await phone.sync()
        world.clock.advance(by: 5)
        try await phone.sync()
        return phone
    }

    @Test("PERF-7: while nothing changes, one query says so, and returns the same cursor")
    func quiet() async throws {
        let world = try await ServiceWorld()
        _ = try await world.offer()
        var phone = try await Self.quietPhone(world)
        let cursor = try #require(phone.cursor)
        for _ in 0..<3 {
            #expect(try await phone.quickAnswer() == InAppSync(cursor: cursor))
            #expect(try await phone.sync() == InAppSync(cursor: cursor))
            world.clock.advance(by: 1_000)
        }
        // What other devices and other apps do is nothing to it.
        _ = try await ServiceDevice.registered(world, 2, key: "ben")
        let (other, _) = try await world.apps.create(code: "other", name: "Other")
        let draft = CampaignDraft(name: "Sale", kind: .inApp, audience: .everyone, inApp: ServiceWorld.modal())
        let id = try await world.campaigns.drafts.create(draft, app: other).id
        _ = try await world.campaigns.life.launch(id, app: other)
        #expect(try await phone.quickAnswer() == InAppSync(cursor: cursor))
    }

    @Test("PERF-7: the quick query serves nobody without a valid token and their own cursor")
    func guarded() async throws {
        let world = try await ServiceWorld()
        var phone = try await Self.quietPhone(world)
        let cursor = phone.cursor
        for foreign in [nil, "", "forged"] {
            phone.cursor = foreign
            #expect(try await phone.quickAnswer() == nil)
        }
        phone.cursor = cursor
        // A newer link's first call ends the older tokens, which is to be written down.
        var renewed = phone
        try await renewed.device.identify("anna")
        #expect(try await renewed.quickAnswer() == nil)
        try await renewed.sync()
        #expect(try await phone.quickAnswer() == nil)
        #expect(await errorCode { try await phone.sync() } == "contactTokenInvalid")
    }

    /// What may change the set of a device's messages, each by itself.
    private static let changes:
        [(String, @Sendable (ServiceWorld, inout InAppPhone, CampaignID) async throws -> Void)] = [
            ("publish", { world, _, _ in _ = try await world.offer(audience: .contactKeys(["anna"])) }),
            ("edit", { world, _, id in try await world.edit(id) { $0.inApp?.content.title = "New" } }),
            ("reset", { world, _, id in try await world.edit(id, resetDisplays: true) { _ in } }),
            ("pause", { world, _, id in _ = try await world.campaigns.life.pause(id, app: world.app) }),
            ("cancel", { world, _, id in _ = try await world.campaigns.life.cancel(id, app: world.app) }),
            ("delete", { world, _, id in try await world.campaigns.life.delete(id, app: world.app) }),
            ("recall", { world, _, id in _ = try await world.campaigns.life.recall(id, app: world.app) }),
            ("attributes", { _, phone, _ in try await phone.device.tell(["city": "Rome"]) }),
            ("tags", { _, phone, _ in try await phone.device.tell([:], tags: ["sports"]) }),
            (
                "locale",
                { world, phone, _ in
                    try await phone.device.register { $0.locale = "fr" }
                    try await world.process()
                }
            ),
            ("token", { _, phone, _ in try await phone.device.putToken("token1") }),
            ("login", { _, phone, _ in try await phone.device.identify("ben") }),
            ("logout", { _, phone, _ in try await phone.device.linkAnonymously() }),
            (
                "another device of the contact",
                { world, _, _ in
                    var other = try await ServiceDevice.started(world, 2)
                    try await other.tell(["city": "Oslo"], key: "anna")
                }
            ),
        ]

    @Test("WIRE-9, PERF-7: the quick query is not used after a change, in the same second too", arguments: 0..<14)
    func changes(number: Int) async throws {
        let (name, change) = Self.changes[number]
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        let id = try await world.offer()
        var phone = try await Self.quietPhone(world)
        try #require(try await phone.quickAnswer() != nil)
        try await change(world, &phone, id)
        #expect(try await phone.quickAnswer() == nil, "\(name)")
        // Changed once more in the moment of the response.
        try await phone.sync()
        if name != "login", name != "logout" {
            try await phone.device.tell(["city": "Bern"])
            #expect(try await phone.quickAnswer() == nil, "\(name)")
        }
    }

    @Test("WIRE-9: the changes above are complete")
    func complete() {
        #expect(Self.changes.count == 14)
    }
}
