import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What devices sent of an attribute before it was defined, and what is left of it when it is removed (REG-25).
struct AttributeReviewTests {
    @Test("REG-25: defining an attribute applies what devices had sent of it, and their receipts say so")
    func defined() async throws {
        let world = try await ServiceWorld()
        try await world.define("city")
        var device = try await ServiceDevice.started(world, 1)
        try await device.say(["city": "Paris", "shoe": 38, "hat": "red"], of: "anna")
        #expect(try await world.attributes(of: "anna") == ["city": "Paris"])
        try await world.define("shoe", .number)
        let partial: [String: AttributeValue] = ["city": "Paris", "shoe": 38]
        #expect(try await world.attributes(of: "anna") == partial)
        #expect(try await device.rejectedFields() == ["attributes.hat undefinedAttribute"])
        // A value of another type stays rejected, for another reason.
        try await world.define("hat", .number)
        #expect(try await world.attributes(of: "anna") == partial)
        #expect(try await device.rejectedFields() == ["attributes.hat wrongType"])
        try await world.define("hat", .string)
        let whole: [String: AttributeValue] = ["city": "Paris", "shoe": 38, "hat": "red"]
        #expect(try await world.attributes(of: "anna") == whole)
        #expect(try await device.rejectedFields().isEmpty)
        #expect(try await world.profile(device).registration?.status == .processed)
    }

    @Test("REG-25: audiences find what was applied")
    func audience() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        try await device.say(["city": "Paris"], of: "anna")
        try await world.define("city")
        let id = try await world.launch(audience: .attribute("city", .equal("Paris")))
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 1)
    }

    @Test("REG-25: the newest snapshot wins among a contact's devices, in whatever order they were made")
    func newest() async throws {
        for first in [1, 2] {
            let world = try await ServiceWorld()
            var devices = [try await ServiceDevice.started(world, 1), try await ServiceDevice.started(world, 2)]
            try await devices[first - 1].say(["city": "old"], of: "anna")
            try await devices[2 - first].say(["city": "new"], of: "anna")
            try await world.define("city")
            #expect(try await world.attributes(of: "anna") == ["city": "new"])
            // Repeated, the old value overwrites nothing (REG-28).
            try await devices[first - 1].say(["city": "old"], of: "anna")
            #expect(try await world.attributes(of: "anna") == ["city": "new"])
        }
    }

    @Test("REG-25: it is never applied over a value that came after the definition")
    func newerValue() async throws {
        let world = try await ServiceWorld()
        var old = try await ServiceDevice.started(world, 1)
        var new = try await ServiceDevice.started(world, 2)
        var blank = try await ServiceDevice.started(world, 3)
        try await old.say(["city": "old", "shoe": "old"], of: "anna")
        for name in ["city", "shoe"] {
            try await world.apps.defineAttribute(name, type: .string, app: world.app)
        }
        try await new.say(["city": "new"], of: "anna")
        try await blank.say(["shoe": ""], of: "anna")
        try await world.reviewAttributes()
        #expect(try await world.attributes(of: "anna") == ["city": "new"])
    }

    @Test("REG-25, ADM-5: it keeps the time at which it was said, so that a newer one wins in a merge")
    func time() async throws {
        let world = try await ServiceWorld()
        var old = try await ServiceDevice.started(world, 1)
        var new = try await ServiceDevice.started(world, 2)
        try await old.say(["city": "old"], of: "ann")
        world.clock.advance(by: 60)
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        try await new.say(["city": "new"], of: "anna")
        world.clock.advance(by: 60)
        try await world.reviewAttributes()
        #expect(try await world.attributes(of: "ann") == ["city": "old"])
        _ = try await world.contacts.merge("ann", into: "anna", field: "into", app: world.app)
        #expect(try await world.attributes(of: "anna") == ["city": "new"])
    }

    @Test("REG-25: it is applied to the contact that the snapshot was made for, and never after an erasure")
    func contacts() async throws {
        let world = try await ServiceWorld()
        var moved = try await ServiceDevice.started(world, 1)
        try await moved.say(["city": "Anna's"], of: "anna")
        try await moved.identify("bert")
        var erased = try await ServiceDevice.started(world, 2)
        try await erased.say(["city": "Cleo's"], of: "cleo")
        try await erased.identify("dora")
        _ = try await world.contacts.erase("cleo", app: world.app)
        try await world.define("city")
        #expect(try await world.attributes(of: "anna") == ["city": "Anna's"])
        #expect(try await world.attributes(of: "bert").isEmpty)
        #expect(try await world.attributes(of: "dora").isEmpty)
        #expect(await errorCode { try await world.directory.contact("cleo", app: world.app) } == "notFound")
    }

    @Test(
        "REG-25, ID-8: it is the first person's, whoever has logged in after a logout, and never a later one's",
        arguments: Engine.ofEachRun)
    func laterPerson(_ engine: Engine) async throws {
        for isNamed in [true, false] {
            let world = try await ServiceWorld(engine)
            var device = try await ServiceDevice.started(world, 1)
            try await device.identify("anna")
            try await device.say(["city": "Anna's"], of: isNamed ? "anna" : nil)
            for key in ["bert", "cleo"] {
                world.clock.advance(by: 1)
                try await device.linkAnonymously()
                world.clock.advance(by: 1)
                try await device.identify(key)
            }
            try await world.define("city")
            #expect(try await world.attributes(of: "anna") == ["city": "Anna's"])
            #expect(try await world.attributes(of: "bert").isEmpty)
            #expect(try await world.attributes(of: "cleo").isEmpty)
            #expect(try await device.rejectedFields().isEmpty)
            // Removed and defined again, it counts again.
            _ = try await world.apps.removeAttribute("city", app: world.app)
            try await world.reviewAttributes()
            #expect(try await world.attributes(of: "anna").isEmpty)
            try await world.define("city")
            #expect(try await world.attributes(of: "anna") == ["city": "Anna's"])
        }
    }

    @Test("REG-25, ID-8: what was said anonymously is the first person's, too", arguments: Engine.ofEachRun)
    func anonymousBefore(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        var device = try await ServiceDevice.started(world, 1)
        try await device.say(["city": "Anna's"], of: nil)
        for key in ["anna", "bert"] {
            world.clock.advance(by: 1)
            try await device.identify(key)
            world.clock.advance(by: 1)
            try await device.linkAnonymously()
        }
        try await device.identify("cleo")
        try await world.define("city")
        #expect(try await world.attributes(of: "anna") == ["city": "Anna's"])
        for key in ["bert", "cleo"] { #expect(try await world.attributes(of: key).isEmpty) }
    }

    @Test(
        "REG-25, ADM-4, ADM-5: it follows a merge of the person who has left, and goes with their erasure",
        arguments: Engine.ofEachRun)
    func leftPerson(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        try await world.define("shoe")
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("ann")
        try await device.say(["city": "Anna's", "shoe": "Anna's shoe"], of: "ann")
        world.clock.advance(by: 1)
        try await device.linkAnonymously()
        world.clock.advance(by: 1)
        try await device.identify("bert")
        _ = try await ServiceDevice.registered(world, 2, key: "anna")
        _ = try await world.contacts.merge("ann", into: "anna", field: "into", app: world.app)
        try await world.define("city")
        #expect(try await world.attributes(of: "anna") == ["city": "Anna's", "shoe": "Anna's shoe"])
        #expect(try await world.attributes(of: "bert").isEmpty)
        let app = world.app.id
        let anna = try #require(try await world.database.read { try $0.contacts.number(app: app, key: "anna") })
        #expect(try await device.row.applied?.left?.contact == anna)
        _ = try await world.contacts.erase("anna", app: world.app)
        #expect(try await device.row.applied?.left == nil)
        #expect(try await world.database.read { try $0.traces(of: "Anna's", engine) } == [])
    }

    @Test("REG-25: a removed attribute is gone from schema and contacts; defined again, what was sent last counts")
    func removed() async throws {
        let world = try await ServiceWorld()
        for name in ["city", "shoe"] { try await world.define(name) }
        var device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        try await device.say(["city": "Paris", "shoe": "38"], of: "anna")
        #expect(try await world.apps.removeAttribute(" city ", app: world.app).rawValue == "city")
        // Its columns still have the values.
        let early = await errorCode {
            try await world.apps.defineAttribute("city", type: .string, app: world.app)
        }
        #expect(early == "conflict")
        try await world.reviewAttributes()
        #expect(try await world.apps.attributes(of: world.app) == ["shoe": .string])
        #expect(try await world.attributes(of: "anna") == ["shoe": "38"])
        #expect(try await device.rejectedFields() == ["attributes.city undefinedAttribute"])
        #expect(await errorCode { try await world.apps.removeAttribute("city", app: world.app) } == "notFound")

        // Another one does not get its columns.
        try await world.define("hat")
        try await world.define("city")
        #expect(try await world.attributes(of: "anna") == ["city": "Paris", "shoe": "38"])
        #expect(try await device.rejectedFields().isEmpty)
        for (name, count) in [("city", 1), ("hat", 0)] {
            let id = try await world.launch(audience: .attribute(name, .equal("Paris")))
            try await world.sendToTheEnd()
            #expect(try await world.counts(id).accepted == count, "\(name)")
        }
    }

    @Test("REG-25: a contact that lost its value and sent none again has none when the attribute is defined again")
    func emptied() async throws {
        let world = try await ServiceWorld()
        try await world.define("city")
        var device = try await ServiceDevice.registered(world, 1, key: "anna", token: "token1")
        try await device.say(["city": "Paris"], of: "anna")
        try await device.say([:], of: "anna")
        #expect(try await world.attributes(of: "anna") == ["city": "Paris"])
        _ = try await world.apps.removeAttribute("city", app: world.app)
        try await world.reviewAttributes()
        try await world.define("city")
        #expect(try await world.attributes(of: "anna").isEmpty)
        let id = try await world.launch(audience: .attribute("city", .equal("Paris")))
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 0)
    }

    @Test("REG-25, CAMP-3: an attribute that a waiting campaign uses is not removed, and nothing changes")
    func used() async throws {
        let world = try await ServiceWorld()
        for name in ["city", "shoe"] { try await world.define(name) }
        let later = CampaignSchedule(at: ServiceWorld.epoch.addingTimeInterval(3_600))
        let id = try await world.launch(audience: .attribute("city", .equal("Paris")), schedule: later)
        do {
            _ = try await world.apps.removeAttribute("city", app: world.app)
            Issue.record("it was removed")
        } catch ServiceError.conflict(_, let message) {
            #expect(message.hasPrefix("Campaign \(id) ") && message.contains("without the attribute"))
            #expect(message.hasSuffix("or keep the attribute."))
        }
        #expect(try await world.apps.attributes(of: world.app) == ["city": .string, "shoe": .string])
        _ = try await world.apps.removeAttribute("shoe", app: world.app)
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        _ = try await world.apps.removeAttribute("city", app: world.app)
        #expect(try await world.apps.attributes(of: world.app).isEmpty)
    }

    @Test("REG-25, CAMP-4: an attribute in the text of a campaign that is being sent is not removed until it is sent")
    func beingSent() async throws {
        let world = try await ServiceWorld()
        try await world.define("city")
        try await world.makeFleet(2)
        let id = try await world.launch(push: PushContent(title: "Hello", body: "{{#city}}You{{/city}}There"))
        while try await world.planner.planNext() {}
        do {
            _ = try await world.apps.removeAttribute("city", app: world.app)
            Issue.record("it was removed")
        } catch ServiceError.conflict(_, let message) {
            #expect(message.contains("It is being sent."))
        }
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 2)
        _ = try await world.apps.removeAttribute("city", app: world.app)
        #expect(try await world.apps.attributes(of: world.app).isEmpty)
    }

    @Test("REG-25: several are defined at once, or none of them; another app's devices stay as they are")
    func bulk() async throws {
        let world = try await ServiceWorld()
        let other = try await world.apps.create(code: "other", name: "Other").app
        var device = try await ServiceDevice.started(world, 1)
        try await device.say(["city": "Paris", "age": 31], of: "anna")
        let definitions: [(key: String, type: AttributeType)] = [("city", .string), ("age", .number)]
        _ = try await world.apps.defineAttributes(definitions, field: "attributes", app: other)
        try await world.reviewAttributes()
        #expect(try await world.attributes(of: "anna").isEmpty)
        _ = try await world.apps.defineAttributes(definitions, field: "attributes", app: world.app)
        try await world.reviewAttributes()
        let both: [String: AttributeValue] = ["city": "Paris", "age": 31]
        #expect(try await world.attributes(of: "anna") == both)
        let many = (0..<499).map { (key: "a\($0)", type: AttributeType.string) }
        let code = await errorCode {
            try await world.apps.defineAttributes(many, field: "attributes", app: world.app)
        }
        #expect(code == "conflict")
        #expect(try await world.apps.attributes(of: world.app).count == 2)
    }

    @Test(
        "SEC-8, REG-25: an app whose definitions change with each page holds up no other app's review",
        arguments: Engine.ofEachRun)
    func restless(_ engine: Engine) async throws {
        let world = try await ServiceWorld(engine)
        // Each review has more than one page.
        for number in 1...60 {
            var device = try await ServiceDevice.started(world, number)
            try await device.register { $0.attributes = ["city": "Paris"] }
        }
        try await world.process()
        let (restless, app) = (world.app, try await world.apps.create(code: "other", name: "Other").app)
        for each in [restless, app] { try await world.apps.defineAttribute("city", type: .string, app: each) }
        let (database, apps) = (world.database, world.apps)
        func isReviewed(_ app: AppRecord) async throws -> Bool {
            try await database.read { try $0.attributeReviews.find(app: app.id) == nil }
        }
        var (last, pages) = (Int64.min, 0)
        while try await !isReviewed(app), pages < 20 {
            last = try #require(try await world.reviewer.reviewNext(after: last))
            pages += 1
            try await apps.defineAttribute("city", type: pages.isMultiple(of: 2) ? .string : .number, app: restless)
        }
        #expect(try await isReviewed(app))
        #expect(try await isReviewed(restless) == false)
        try await world.reviewer.reviewAll()
        #expect(try await isReviewed(restless))
        #expect(try await world.rows("work_attempts") == 0)
    }

    @Test("REG-25: a review goes on after a restart, page by page, and begins anew when another definition comes")
    func pages() async throws {
        let world = try await ServiceWorld()
        for number in 1...101 {
            var device = try await ServiceDevice.started(world, number)
            try await device.register {
                $0.contactKey = "person \(number)"
                $0.attributes = ["city": "Paris", "shoe": "38"]
            }
        }
        try await world.process()
        try await world.apps.defineAttribute("city", type: .string, app: world.app)
        #expect(try await world.reviewer.reviewNext() != nil)
        try await world.apps.defineAttribute("shoe", type: .string, app: world.app)
        var pages = 0
        while try await world.reviewer.reviewNext() != nil { pages += 1 }
        #expect(pages >= 3)
        let whole: [String: AttributeValue] = ["city": "Paris", "shoe": "38"]
        for number in 1...101 {
            #expect(try await world.attributes(of: "person \(number)") == whole)
        }
    }
}
