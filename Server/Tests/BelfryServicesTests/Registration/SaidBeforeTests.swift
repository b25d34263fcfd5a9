import BelfryModel
import BelfryServices
import Foundation
import Testing

/// What a device said and nobody has processed yet is applied before what it says next, though the clock stands still.
struct SaidBeforeTests {
    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        for (name, type) in [("city", AttributeType.string), ("age", .number)] {
            try await world.apps.defineAttribute(name, type: type, app: world.app)
        }
        return world
    }

    @Test("REG-20, ID-7: values of one known contact stay with it when another one is linked at once")
    func nextPerson() async throws {
        let world = try await Self.world()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        try await device.register {
            $0.attributes = ["city": "Paris"]
            $0.tags = ["news"]
        }
        try await device.identify("bert")
        try await world.process()
        #expect(try await world.attributes(of: "anna") == ["city": "Paris"])
        #expect(try await world.directory.contact("anna", app: world.app).tags == ["news"])
        #expect(try await world.attributes(of: "bert") == [:])
        #expect(try await world.directory.contact("bert", app: world.app).tags == [])
        #expect(try await device.contactKey == "bert")
    }

    @Test("ID-8: values of an anonymous contact are added to the known one and overwrite nothing")
    func login() async throws {
        let world = try await Self.world()
        var other = try await ServiceDevice.started(world, 1)
        try await other.identify("anna")
        try await other.register { $0.attributes = ["city": "Rome"] }
        try await world.process()
        var device = try await ServiceDevice.started(world, 2)
        try await device.register { $0.attributes = ["city": "Paris", "age": 31] }
        try await device.identify("anna")
        try await world.process()
        #expect(try await world.attributes(of: "anna") == ["city": "Rome", "age": 31])
    }

    @Test("ID-4: a logout right after a snapshot moves nothing of the person and is not undone")
    func logout() async throws {
        let world = try await Self.world()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        try await device.register {
            $0.contactKey = "anna"
            $0.attributes = ["city": "Paris"]
        }
        try await device.linkAnonymously()
        try await world.process()
        let contact = try #require(try await world.profile(device).contact)
        #expect(!contact.known && contact.attributes == [:])
        #expect(try await world.attributes(of: "anna") == ["city": "Paris"])
    }

    @Test("WIRE-21: a push token or its removal right after a snapshot wins, and so do properties")
    func tokensAndProperties() async throws {
        let world = try await Self.world()
        var device = try await ServiceDevice.started(world, 1)
        try await device.register {
            $0.pushToken = "aa01"
            $0.osVersion = "1"
        }
        try await device.putToken("aa02")
        _ = try await world.clients.putProperties(
            SystemProperties(osVersion: "2"), osPushEnabled: nil, caller: device.caller()
        )
        try await world.process()
        #expect(try await world.profile(device).device.pushToken?.value == "aa02")
        #expect(try await world.profile(device).device.system.osVersion == "2")
        try await device.register { $0.pushToken = "aa03" }
        try await device.deleteToken()
        try await world.process()
        #expect(try await world.profile(device).device.pushToken == nil)
        #expect(try await world.profile(device).device.revision == 2)
    }
}
