import BelfryModel
import BelfryServices
import Foundation
import Testing

struct SharedContactTests {
    @Test("REG-25: an invalid field is rejected alone, with a reason on the receipt, and the rest is applied")
    func partlyRejected() async throws {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        try await world.apps.defineAttribute("age", type: .number, app: world.app)
        var device = try await ServiceDevice.started(world, 1)
        let response = try await device.register {
            $0.contactKey = "anna"
            $0.attributes = ["city": " Paris ", "age": "old", "shoe": 44, "channel": "x"]
            $0.tags = ["sports", " "]
            $0.timeZone = "Mars/Olympus"
            $0.locale = "fr_FR"
        }
        try await world.process()
        let caller = try device.authenticated()
        let receipt = try await world.registrations.receipt(response.registrationID, caller: caller).value
        #expect(receipt.status == .partlyRejected)
        let reasons = Dictionary(uniqueKeysWithValues: receipt.rejected.map { ($0.field, $0.reason) })
        #expect(
            reasons == [
                "attributes.age": "wrongType", "attributes.shoe": "undefinedAttribute",
                "attributes.channel": "reservedWord", "tags[1]": "blank", "timeZone": "unknownTimeZone",
            ]
        )
        let profile = try await world.profile(device)
        #expect(profile.contact?.attributes == ["city": "Paris"])
        #expect(profile.device.system == SystemProperties(locale: "fr_FR"))
        #expect(try await world.directory.contact("anna", app: world.app).tags == ["sports"])
    }

    @Test("REG-25: reserved, blank and overlong names are not defined")
    func reservedNames() async throws {
        let world = try await ServiceWorld()
        for (name, code) in [
            ("Badge", "reservedWord"), (" ", "blank"), (String(repeating: "x", count: 129), "tooLong"),
        ] {
            let rejected = await errorCode {
                try await world.apps.defineAttribute(name, type: .string, app: world.app)
            }
            #expect(rejected == code)
        }
        #expect(try await world.apps.attributes(of: world.app).isEmpty)
    }

    @Test("REG-28: an old device that repeats old values never overwrites what a newer one set")
    func oldDevice() async throws {
        let world = try await ServiceWorld()
        for (name, type) in [("city", AttributeType.string), ("birthday", .date), ("age", .number)] {
            try await world.apps.defineAttribute(name, type: type, app: world.app)
        }
        var old = try await ServiceDevice.started(world, 1)
        var new = try await ServiceDevice.started(world, 2)
        let oldValues: [String: AttributeValue] = ["city": "Paris", "birthday": "1990-05-29T00:00:00.001Z", "age": 31]
        let newValues: [String: AttributeValue] = ["city": "Rome", "birthday": "1991-05-29T00:00:00Z", "age": ""]
        try await old.say(oldValues, tags: ["a", "b"])
        try await new.say(newValues, tags: ["b", "c"])
        for _ in 0..<3 { try await old.say(oldValues, tags: ["a", "b"]) }
        var anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.attributes == ["city": "Rome", "birthday": "1991-05-29T00:00:00.000Z"])
        #expect(anna.tags == ["a", "b", "c"])
        // New values count, and values that it no longer sends stay.
        try await old.say(["city": "Oslo"], tags: [])
        anna = try await world.directory.contact("anna", app: world.app)
        #expect(anna.contact.attributes == ["city": "Oslo", "birthday": "1991-05-29T00:00:00.000Z"])
        #expect(anna.tags == ["b", "c"])
    }

    @Test("REG-28: an absent token keeps, and only a DELETE removes it")
    func absentToken() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, token: "token1")
        _ = try await device.register()
        try await world.process()
        #expect(try await world.profile(device).device.pushToken?.value == "token1")
        try await device.deleteToken()
        let profile = try await world.profile(device)
        #expect(profile.device.pushToken == nil && profile.device.optOut == nil)
        #expect(profile.consent.pushEligibility == .ineligible(reason: "noToken"))
    }
}

extension ServiceDevice {
    fileprivate mutating func say(_ attributes: [String: AttributeValue], tags: [String]) async throws {
        _ = try await register {
            $0.contactKey = "anna"
            $0.attributes = attributes
            $0.tags = tags
        }
        try await world.process()
    }
}
