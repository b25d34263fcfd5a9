import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// Traces of an erased person, searched in every column of every table.
struct ErasedTracesTests {
    private static let key = "Anna.Karenina@example.com"
    /// Values that belong only to her.
    private static let words = [
        key, "Vronskaya", "Yasnaya Polyana", "annas-token", "annas-tag", "Annas Phone", "annas-event", "annas-value",
        "annas-session",
    ]

    /// A device that an operator has revoked, and that then says all that a device can say of its person and gets
    /// everything that is sent.
    private static func story(_ world: ServiceWorld) async throws -> ServiceDevice {
        try await world.apps.defineAttribute("name", type: .string, app: world.app)
        try await world.apps.defineAttribute("home", type: .string, app: world.app)
        var device = try await ServiceDevice.started(world, 7)
        let principal = try await world.access.principal(bearer: TestKeys.rootKey)
        let number = try await world.links.revoke(device.client.rawValue, app: world.app)
        try await world.access.audit(principal, action: "device.revoke", app: world.app.code, target: String(number))
        try await device.linkAnonymously()
        try await device.register {
            $0.contactKey = key
            $0.pushToken = "annas-token"
            $0.attributes = ["name": "Vronskaya", "home": "Yasnaya Polyana", "nobody-defined-it": "annas-value"]
            $0.tags = ["annas-tag"]
            $0.deviceModel = "Annas Phone"
        }
        try await world.process()
        try await device.identify(key)
        var event = try Event.test("annas-event", try EventName("annas-event"), kind: .custom)
        event.sessionID = "annas-session"
        try await device.track(event)
        _ = try await world.launch()
        _ = try await world.launch(message: ServiceWorld.message, push: ServiceWorld.content)
        try await world.sendToTheEnd()
        return device
    }

    private static func traces(_ world: ServiceWorld, of words: [String]) async throws -> [String: Set<String>] {
        try await world.database.read { connection in
            var traces: [String: Set<String>] = [:]
            for word in words { traces[word] = try connection.traces(of: word, .ofThisRun) }
            return traces
        }
    }

    @Test(
        "ADM-4, REG-36: after an erasure no table has the person's data, except the list of erased client ids",
        arguments: [false, true]
    )
    func everyTable(isDormant: Bool) async throws {
        let world = try await ServiceWorld()
        let device = try await Self.story(world)
        // One more, on its way to the device when its person is erased.
        _ = try await world.launch()
        if isDormant {
            // Dead devices are erased where they lie (FLEET-2).
            try await world.putAway(device)
            #expect(try await world.deviceCounts() == [0, 1, 0])
        }
        let words = Self.words + [device.client.rawValue]
        // So that the search can fail: all of it is there before.
        for (word, places) in try await Self.traces(world, of: words) { #expect(!places.isEmpty, "\(word)") }
        _ = try await world.contacts.erase(Self.key, app: world.app)
        for (word, places) in try await Self.traces(world, of: Self.words) { #expect(places == [], "\(word)") }
        #expect(
            try await Self.traces(world, of: [device.client.rawValue]).values.first == ["erased_devices.client_id"]
        )
    }

    @Test("ADM-4: a device is revoked by its id, and its number is logged")
    func number() async throws {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: "anna")
        let (client, app) = (device.client, world.app.id)
        let number = try await world.links.revoke(client.rawValue, app: world.app)
        #expect(try await world.database.read { try $0.devices.find(app: app, client: client)?.id } == number)
    }
}
