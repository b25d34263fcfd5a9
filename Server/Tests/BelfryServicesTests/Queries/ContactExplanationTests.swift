import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Synchronization
import Testing

@Suite("Explanations for a person")
struct ContactExplanationTests {
    private static func explain(
        _ world: ServiceWorld, _ id: CampaignID, _ key: String
    ) async throws -> ContactExplanation {
        try await world.explainer.explain(id, contact: key, app: world.app)
    }

    @Test("LED-5, SEC-2: what a campaign says is read as often for three devices as for one")
    func contents() async throws {
        let world = try await ServiceWorld()
        let campaigns = [try await world.launch(), try await world.offer()]
        var reads: [[Int]] = []
        for numbers in [1...1, 2...3] {
            for number in numbers { _ = try await ServiceDevice.registered(world, number, key: "ann") }
            var counts: [Int] = []
            for id in campaigns {
                let counting = CountingDatabase(world.database)
                let explainer = Explainer(database: counting, environment: world.environment)
                let answer = try await explainer.explain(id, contact: "ann", app: world.app)
                #expect(answer.devices.count == numbers.upperBound)
                let contents = counting.asked.filter { sql, _ in sql.statement.contains("c.content") }
                counts.append(contents.values.reduce(0, +))
            }
            reads.append(counts)
        }
        #expect(reads[0].allSatisfy { count in count > 0 } && reads[1] == reads[0])
    }

    @Test("LED-5: every device and the message center are explained in one answer, in sentences")
    func whole() async throws {
        let world = try await ServiceWorld()
        let first = try await ServiceDevice.registered(world, 1, key: "ann", token: "token1")
        let second = try await ServiceDevice.registered(world, 2, key: "ann")
        let id = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await world.sendToTheEnd()
        let answer = try await Self.explain(world, id, "ann")
        #expect(answer.contactKey == "ann" && answer.deviceCount == 2)
        #expect(answer.devices.map(\.client) == [second.client, first.client])
        #expect(answer.devices.map(\.explanation.state) == ["suppressed", "accepted"])
        #expect(answer.state == "accepted" && answer.reason == nil)
        for device in answer.devices {
            let own = try await world.explainer.explain(id, device: device.client.rawValue, app: world.app)
            #expect(device.explanation == own && device.isPresent)
        }
        let center = try #require(answer.center)
        #expect(center.name == "Primary" && center.state == .unread)
        #expect(center.sentence == "It is in the message center 'Primary', and has not been read yet.")
        #expect(answer.sentence.hasPrefix("1 of 2 devices accepted it."))
        #expect(answer.sentence.contains("the device has no push token") && answer.sentence.hasSuffix(center.sentence))
        // Alike on all devices, it is said once.
        let later = try await world.campaigns.drafts.create(ServiceWorld.draft(), app: world.app).id
        let draft = try await Self.explain(world, later, "ann")
        #expect(draft.state == "notInAudience" && draft.center == nil)
        #expect(
            draft.sentence
                == "On all 2 devices: The campaign has not been launched, so no device has received it."
        )
    }

    @Test("CON-9, SEC-8: what the devices of a person lack is asked once, of a few, and in no device's place")
    func bounded() async throws {
        let world = try await ServiceWorld()
        for number in 1...7 { _ = try await ServiceDevice.registered(world, number, key: "ann") }
        let id = try await world.launch(audience: .tag("vip"))
        try await world.sendToTheEnd()
        func holds(_ database: AskedDatabase) async throws -> [[Bool?]] {
            let explainer = Explainer(database: database, environment: world.environment)
            return try await explainer.explain(id, contact: "ann", app: world.app).devices
                .map { $0.explanation.audience.map(\.holds) }
        }
        let (judged, left): ([Bool?], [Bool?]) = ([false], [nil])
        let free = AskedDatabase(world.database)
        #expect(try await holds(free) == [judged, judged, judged, judged, judged, left, left])
        #expect(free.asked == [.explaining])
        let crowded = AskedDatabase(world.database, isCrowded: true)
        #expect(try await holds(crowded) == [left, left, left, left, left, left, left])
        #expect(crowded.asked == [.explaining])
    }

    @Test("LED-5: where the message is is said once, also for one device and when the devices say the same")
    func once() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "ann", token: "token1")
        let alone = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        let place = "It is in the message center 'Primary', and has not been read yet."
        #expect(try await Self.explain(world, alone, "ann").sentence == place)
        _ = try await ServiceDevice.registered(world, 2, key: "ann", token: "token2")
        let both = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        #expect(try await Self.explain(world, both, "ann").sentence == "On all 2 devices: \(place)")
        // The second device was not in the audience of the first campaign, and shows its message all the same.
        let mixed = try await Self.explain(world, alone, "ann").sentence
        #expect(mixed.contains("But the contact received the message: it is in the message center 'Primary'"))
    }

    @Test("LED-5: a person without a device, a device that has left, a former key and an unknown contact")
    func edges() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        try await device.identify("ann")
        let id = try await world.launch(message: ServiceWorld.message)
        try await world.sendToTheEnd()
        world.clock.advance(by: 1)
        try await device.linkAnonymously()
        try await device.identify("bert")
        _ = try await world.contacts.rename("ann", to: "anna", field: "to", app: world.app)
        let answer = try await Self.explain(world, id, "ann")
        #expect(answer.contactKey == "anna" && answer.deviceCount == 0)
        // She got it there while it was hers.
        #expect(answer.devices.map(\.client) == [device.client] && answer.devices.map(\.isPresent) == [false])
        #expect(answer.center?.state == .unread)
        let his = try await Self.explain(world, id, "bert")
        #expect(his.devices.map(\.isPresent) == [true] && his.center?.state == nil)
        #expect(his.center?.sentence == "Nothing of it is in the contact's message center 'Primary'.")
        let later = try await world.launch(message: ServiceWorld.message)
        let nothing = try await Self.explain(world, later, "anna")
        #expect(nothing.devices.isEmpty && nothing.state == "notInAudience")
        #expect(nothing.sentence.hasPrefix("The contact has no device."))
        #expect(await errorCode { try await Self.explain(world, id, "nobody") } == "notFound")
    }

    @Test("LED-5: who has more devices than an answer lists gets those that the campaign came to, and is told")
    func many() async throws {
        let world = try await ServiceWorld()
        let first = try await ServiceDevice.registered(world, 1, key: "ann", token: "token1")
        for number in 2...50 { _ = try await ServiceDevice.registered(world, number, key: "ann") }
        for number in 61...110 {
            var device = try await ServiceDevice.started(world, number)
            try await device.identify("ann")
            try await device.linkAnonymously()
        }
        var left = try await ServiceDevice.registered(world, 60, token: "token60")
        try await left.identify("ann")
        let id = try await world.launch(audience: .deviceIDs([first.client.rawValue, left.client.rawValue]))
        try await world.sendToTheEnd()
        world.clock.advance(by: 1)
        try await left.linkAnonymously()
        for number in 51...59 { _ = try await ServiceDevice.registered(world, number, key: "ann") }
        let answer = try await Self.explain(world, id, "ann")
        #expect(answer.state == "accepted" && answer.deviceCount == 59)
        let got = answer.devices.filter { $0.explanation.state == "accepted" }
        #expect(got.map(\.client) == [first.client, left.client] && got.map(\.isPresent) == [true, false])
        #expect(answer.devices.count == 51)
        #expect(answer.sentence.hasPrefix("2 of 51 devices accepted it. 9 more devices are not listed."))
    }

    @Test("LED-5, IAM-1: of an in-app campaign each device says by itself whether it has the message")
    func inApp() async throws {
        let world = try await ServiceWorld()
        _ = try await ServiceDevice.registered(world, 1, key: "ann")
        _ = try await ServiceDevice.registered(world, 2, key: "ann")
        let draft = CampaignDraft(
            name: "Hello", kind: .inApp, audience: .everyone,
            inApp: InAppDraft(
                type: .modal, trigger: InAppTrigger(event: "session:start"), content: InAppContent(title: "Hi")
            )
        )
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        _ = try await world.campaigns.life.launch(id, app: world.app)
        let answer = try await Self.explain(world, id, "ann")
        #expect(answer.state == "pending" && answer.devices.count == 2 && answer.center == nil)
        #expect(answer.sentence.hasPrefix("On all 2 devices: "))
    }
}

/// A database that notes what it is asked.
private final class AskedDatabase: SQLDatabase {
    private let database: any SQLDatabase
    private let isCrowded: Bool
    private let questions = Mutex<[Question]>([])

    var asked: [Question] { questions.withLock { $0 } }

    /// - Parameter isCrowded: whether too many others ask already.
    init(_ database: any SQLDatabase, isCrowded: Bool = false) {
        self.database = database
        self.isCrowded = isCrowded
    }

    func write<Output: Sendable>(
        turn: WritePriority, _ body: @escaping @Sendable (any SQLConnection) throws -> Output,
        completion: @escaping @Sendable (Result<Output, any Error>) -> Void
    ) {
        database.write(turn: turn, body, completion: completion)
    }

    func read<Output: Sendable>(
        _ body: @escaping @Sendable (any SQLConnection) throws -> Output
    ) async throws -> Output {
        try await database.read(body)
    }

    func ask<Output: Sendable>(
        _ question: Question, _ body: @escaping @Sendable (PredicateConnection) throws -> Output
    ) async throws -> Output {
        questions.withLock { $0.append(question) }
        guard !isCrowded else { throw StoreError.crowded }
        return try await database.ask(question, body)
    }
}
