import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Messages of campaigns whose audience costs more than a device may make it cost.
struct ExpensiveLookTests {
    private static func phone(_ world: ServiceWorld) async throws -> InAppPhone {
        var phone = InAppPhone(try await ServiceDevice.started(world, 1))
        try await phone.device.identify("anna")
        try await phone.sync()
        return phone
    }

    @Test(
        "SEC-8, WIRE-9: a campaign that is too expensive for a device gives and takes nothing; others continue"
    )
    func unknown() async throws {
        let world = try await ServiceWorld(questions: ServiceWorld.strict)
        var phone = try await Self.phone(world)
        let heavy = try await world.offer(audience: ServiceWorld.endless())
        #expect(try await phone.sync().messages.map(\.campaign) == [heavy])
        try await world.giveHistory(phone.device.client, events: 40_000)
        let second = try await world.offer(audience: ServiceWorld.endless(1))
        let plain = try await world.offer()
        let response = try await phone.sync()
        #expect(response.messages.map(\.campaign) == [plain] && response.recalled.isEmpty)
        #expect(phone.versions.keys.sorted() == [heavy, plain])
        // It is asked again each time, and known once there is less to look at.
        try await world.database.write { _ = try $0.execute("DELETE FROM events WHERE event_id LIKE 'h%'") }
        #expect(try await phone.sync().messages.map(\.campaign) == [second])
        let explanation = try await world.explanation(second, phone.device)
        #expect(explanation.state == "accepted")
    }

    @Test("LED-2: an audience that is too expensive is explained")
    func explained() async throws {
        let world = try await ServiceWorld(questions: ServiceWorld.strict)
        let phone = try await Self.phone(world)
        try await world.giveHistory(phone.device.client, events: 40_000)
        let id = try await world.offer(audience: ServiceWorld.endless())
        let explanation = try await world.explanation(id, phone.device)
        #expect(explanation.sentence.contains("the query takes too long"))
    }

    @Test(
        "SEC-8, IAM-1: changes between the query and its transaction are evaluated again, and reported once")
    func inBetween() async throws {
        let world = try await ServiceWorld()
        let phone = try await Self.phone(world)
        let clause = Condition.event(EventClause(name: "purchase", count: EventCount(.equal, 0)))
        let id = try await world.offer(audience: clause)
        let database = InterruptedDatabase(world.database, after: "InAppSyncResult") {
            try await world.edit(id) { $0.inApp?.content.title = "New" }
        }
        let service = InAppService(database: database, keys: world.keys, environment: world.environment)
        let response = try await service.sync(since: phone.cursor, for: phone.device.authenticated()).value
        #expect(response.messages.map(\.draft.content.title) == ["New"] && response.messages.first?.version == 2)
        #expect(try await world.copy(id, phone.device)?.version == 2)
    }

    @Test("SEC-8: a device that changes during each query is told to retry, and gets nothing")
    func restless() async throws {
        let world = try await ServiceWorld()
        let phone = try await Self.phone(world)
        let id = try await world.offer()
        let database = InterruptedDatabase(world.database, after: "InAppSyncResult", isRepeated: true) {
            try await world.edit(id) { $0.inApp?.content.title?.append("!") }
        }
        let service = InAppService(database: database, keys: world.keys, environment: world.environment)
        let error = await #expect(throws: StoreError.self) {
            try await service.sync(since: nil, for: phone.device.authenticated())
        }
        #expect(error?.meansTryAgain == true)
        #expect(try await world.copy(id, phone.device) == nil)
    }
}
