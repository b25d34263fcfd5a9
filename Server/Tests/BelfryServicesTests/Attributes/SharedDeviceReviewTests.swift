import BelfryModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What a device that several people have used sent of an attribute before it was defined: each gets their own (REG-25).
struct SharedDeviceReviewTests {
    @Test(
        "REG-25: each person who has used a device gets what it said of them last, and nobody what it said of another",
        arguments: Engine.ofEachRun)
    func everyPerson(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        try await device.say(["city": "Anna's first"], of: "anna")
        try await device.say(["city": "Anna's"], of: "anna")
        try await device.change(to: "bert")
        try await device.say(["city": "Bert's"], of: nil)
        try await device.change(to: "cleo")
        try await device.say(["city": "Cleo's"], of: "cleo")
        let all = ["anna": "Anna's", "bert": "Bert's", "cleo": "Cleo's"]
        for _ in 1...2 {
            try await world.define("city")
            for (key, city) in all {
                let values: [String: AttributeValue] = ["city": .string(city)]
                #expect(try await world.attributes(of: key) == values)
            }
            #expect(try await device.rejectedFields().isEmpty)
            // Removed and defined again, it counts again.
            _ = try await world.apps.removeAttribute("city", app: world.app)
            try await world.reviewAttributes()
            for key in all.keys { #expect(try await world.attributes(of: key).isEmpty) }
        }
    }

    @Test(
        "REG-25: a logout, and the empty registration that the SDK sends after it, lose nothing",
        arguments: Engine.ofEachRun)
    func emptyAfterLogout(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        try await device.say(["city": "Anna's"], of: "anna")
        world.clock.advance(by: 1)
        try await device.linkAnonymously()
        try await device.say([:], of: nil)
        #expect(try await device.row.applied?.left == nil)
        try await world.define("city")
        #expect(try await world.attributes(of: "anna") == ["city": "Anna's"])
    }

    @Test("REG-25: what the person who has left got by other ways since is newer, blank values among it")
    func newerOfTheirs() async throws {
        let world = try await ServiceWorld()
        var shared = try await ServiceDevice.started(world, 1)
        try await shared.identify("anna")
        try await shared.say(["city": "old", "shoe": "old"], of: "anna")
        try await shared.change(to: "bert")
        try await shared.say([:], of: "bert")
        // Another one that has left as well.
        var other = try await ServiceDevice.started(world, 2)
        try await other.identify("anna")
        try await other.say(["shoe": ""], of: "anna")
        try await other.change(to: "cleo")
        try await other.say([:], of: "cleo")
        for name in ["city", "shoe"] {
            try await world.apps.defineAttribute(name, type: .string, app: world.app)
        }
        var new = try await ServiceDevice.started(world, 3)
        try await new.say(["city": "new"], of: "anna")
        try await world.reviewAttributes()
        #expect(try await world.attributes(of: "anna") == ["city": "new"])
        for key in ["bert", "cleo"] { #expect(try await world.attributes(of: key).isEmpty) }
    }

    @Test(
        "REG-25, SEC-2: where a person's other devices have said too much to look through, nothing is given",
        arguments: Engine.ofEachRun)
    func tooMuch(_ engine: Engine) async throws {
        for (megabytes, expected) in [(1, ["city": "Paris"]), (17, [:])] as [(Int, [String: AttributeValue])] {
            let world = try await ServiceWorld(engine)
            var first = try await ServiceDevice.started(world, 1)
            try await first.identify("anna")
            try await first.say(["city": "Paris"], of: "anna")
            var second = try await ServiceDevice.started(world, 2)
            try await second.identify("anna")
            try await second.say([:], of: "anna")
            let device = try await second.row.id
            let blanks = String(repeating: " ", count: megabytes << 20)
            _ = try await world.database.write { connection in
                try connection.execute(
                    "UPDATE registrations SET snapshot = snapshot || ? WHERE device_id = ? AND contact_id IS NOT NULL",
                    [.text(blanks), .integer(device)]
                )
            }
            try await world.define("city")
            #expect(try await world.attributes(of: "anna") == expected)
        }
    }

    @Test("REG-25: a value that was cleared on another device stays so, also when later snapshots are without it")
    func clearedElsewhere() async throws {
        let world = try await ServiceWorld()
        var shared = try await ServiceDevice.started(world, 1)
        try await shared.identify("anna")
        try await shared.say(["shoe": "38", "city": "Paris"], of: "anna")
        try await shared.change(to: "bert")
        try await shared.say([:], of: "bert")
        var other = try await ServiceDevice.started(world, 2)
        try await other.identify("anna")
        try await other.say(["shoe": ""], of: "anna")
        try await other.say([:], of: "anna")
        for name in ["shoe", "city"] { try await world.define(name) }
        #expect(try await world.attributes(of: "anna") == ["city": "Paris"])
    }

    @Test("REG-25: what counted when it was said is not given again, when it was cleared since")
    func cleared() async throws {
        let world = try await ServiceWorld()
        try await world.define("city")
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        try await device.say(["city": "Anna's", "shoe": "Anna's shoe"], of: "anna")
        try await device.change(to: "bert")
        try await device.say([:], of: "bert")
        let app = world.app.id
        let now = world.clock.now
        try await world.database.write { connection in
            guard let id = try connection.contacts.number(app: app, key: "anna"),
                var anna = try connection.contacts.find(id: id)
            else { return }
            anna.attributes = [:]
            try connection.contacts.save(anna, now: now)
        }
        try await world.define("shoe")
        #expect(try await world.attributes(of: "anna") == ["shoe": "Anna's shoe"])
    }

    @Test("REG-25, SEC-9: it is all applied, too, where the receipt had no room for what was rejected")
    func longReceipt() async throws {
        let world = try await ServiceWorld()
        try await world.define("city")
        var said: [String: AttributeValue] = ["city": "Anna's"]
        for number in 1...80 { said["a\(number)"] = "Anna's" }
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        try await device.say(said, of: "anna")
        try await device.change(to: "bert")
        try await device.say([:], of: "bert")
        for numbers in [1...40, 41...80] {
            let definitions = numbers.map { (key: "a\($0)", type: AttributeType.string) }
            _ = try await world.apps.defineAttributes(definitions, field: "attributes", app: world.app)
            try await world.reviewAttributes()
        }
        #expect(try await world.attributes(of: "anna") == said)
        #expect(try await world.attributes(of: "bert").isEmpty)
    }

    @Test(
        "REG-25, ADM-4, ADM-5: what was said of one who has left follows a merge, and an erasure takes it",
        arguments: Engine.ofEachRun)
    func earlierPerson(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        _ = try await ServiceDevice.registered(world, 1, key: "anna")
        for (number, key) in [(2, "ann"), (3, "dora")] {
            var device = try await ServiceDevice.started(world, number)
            try await device.identify(key)
            try await device.say(["city": .string("\(key)'s")], of: key)
            try await device.change(to: "bert")
            try await device.say(["city": "Bert's"], of: "bert")
        }
        _ = try await world.contacts.merge("ann", into: "anna", field: "into", app: world.app)
        _ = try await world.contacts.erase("dora", app: world.app)
        try await world.define("city")
        #expect(try await world.attributes(of: "anna") == ["city": "ann's"])
        #expect(try await world.attributes(of: "bert") == ["city": "Bert's"])
        #expect(try await world.database.read { try $0.traces(of: "dora's", engine) } == [])
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await world.database.read { try $0.traces(of: "ann's", engine) } == [])
    }

    @Test("REG-25: many registrations of one device are looked through page by page")
    func manyOfOneDevice() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        try await device.say(["city": "Anna's"], of: "anna")
        try await device.change(to: "bert")
        for number in 1...120 {
            try await device.register {
                $0.contactKey = "bert"
                $0.attributes = ["city": .string("Bert's \(number)")]
            }
        }
        try await world.process()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        var pages = 0
        while try await world.reviewer.reviewNext() != nil { pages += 1 }
        #expect(pages >= 3)
        #expect(try await world.attributes(of: "anna") == ["city": "Anna's"])
        #expect(try await world.attributes(of: "bert") == ["city": "Bert's 120"])
    }
}

extension ServiceDevice {
    /// One person logs out and another logs in.
    fileprivate mutating func change(to key: String) async throws {
        world.clock.advance(by: 1)
        try await linkAnonymously()
        world.clock.advance(by: 1)
        try await identify(key)
    }
}
