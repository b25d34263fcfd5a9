import BelfryAPI
import BelfryModel
import BelfryTestSupport
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("People, their timelines and installations over the admin API")
struct PeopleSearchAPITests {
    @Test("CON-9: people are searched in every way or in one; faults are named")
    func search() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "ann")
            func find(_ query: String) async throws -> PeopleSearchResponse {
                try await server.admin(.get, "/apps/shop/people?\(query)").json(PeopleSearchResponse.self)
            }
            let byKey = try await find("text=an")
            #expect(byKey.found.map(\.by) == [.key] && byKey.found[0].people.map(\.contactKey) == ["ann"])
            #expect(byKey.found[0].sentence.contains("'an'"))
            let byDevice = try await find("text=\(device.id)")
            #expect(byDevice.found.map(\.by) == [.device])
            #expect(byDevice.found[0].devices.map(\.contactKey) == ["ann"])
            #expect(try await find("text=nobody").found.isEmpty)
            #expect(try await find("text=nobody&by=party").found.map(\.people) == [[]])
            for (query, target) in [
                ("text=x&by=name", "by"), ("text=x&cursor=7", "by"), ("text=%00", "text"),
                ("text=x&by=attribute&name=shoe", "name"),
            ] {
                let rejected = try await server.admin(.get, "/apps/shop/people?\(query)")
                #expect(rejected.status.code >= 400 && rejected.status.code < 500, "\(query)")
                #expect(rejected.text.contains("\"\(target)\""), "\(query): \(rejected.text)")
            }
        }
    }

    @Test("CON-2, ADM-5, ID-9: the search of everything finds people by party identifiers and former keys, each once")
    func everything() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            let party = #"{"partyIdentifier":{"type":"customer","name":"crm","number":"4711"}}"#
            #expect(try await device.call(.post, "/client/contact", party).status == .ok)
            var other = TestDevice(server)
            try await other.start(contactKey: "ann")
            let renamed = try await server.admin(.post, "/apps/shop/contacts/ann/rename", #"{"to":"ann2"}"#)
            #expect(renamed.status == .ok, "\(renamed.text)")
            func find(_ text: String) async throws -> [String] {
                try await server.admin(.get, "/apps/shop/search?q=\(text)").json(SearchResponse.self).contacts
            }
            #expect(try await find("4711") == ["party:customer:crm:4711"])
            #expect(try await find("ann") == ["ann2"])
            #expect(try await find("471") == [])
        }
    }

    @Test("CON-9: a person's timeline comes in pages, newest first, and by kind")
    func timeline() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "ann")
            server.clock.advance(by: 60)
            let now = Timestamp.text(server.clock.now)
            try await device.track(
                #"{"id":"e1","name":"purchase","type":"custom","timestamp":"\#(now)","attributes":{"sku":"42"}}"#
            )
            func page(_ query: String) async throws -> TimelineResponse {
                try await server.admin(.get, "/apps/shop/contacts/ann/timeline?\(query)").json(TimelineResponse.self)
            }
            let all = try await page("")
            #expect(all.entries.map(\.what) == ["purchase", "login"] && all.cursor == nil)
            #expect(all.entries[0].attributes == ["sku": "42"] && all.entries[0].deviceId == device.id)
            let first = try await page("limit=1")
            let cursor = try #require(first.cursor)
            let second = try await page("limit=1&cursor=\(cursor)")
            #expect(first.entries + second.entries == all.entries && second.cursor == nil)
            #expect(try await page("kind=link").entries.map(\.kind) == [.link])
            for query in ["kind=love", "cursor=%24", "limit=0"] {
                let rejected = try await server.admin(.get, "/apps/shop/contacts/ann/timeline?\(query)")
                #expect(rejected.status == .badRequest || rejected.status == .unprocessableContent, "\(query)")
            }
            let unknown = try await server.admin(.get, "/apps/shop/contacts/nobody/timeline")
            try expectError(unknown, .notFound, "notFound", target: "contact")
        }
    }

    @Test("WIRE-20, CON-9: of several installations with one id all are listed, and the caller chooses")
    func installations() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var hers = TestDevice(server)
            try await hers.start(contactKey: "ann")
            var impostor = TestDevice(server)
            impostor.id = hers.id
            try await impostor.start(contactKey: "mallory")
            let listed = try await server.admin(.get, "/apps/shop/devices?clientId=\(hers.id)")
                .json(DeviceListResponse.self).devices
            #expect(listed.map(\.contactKey) == ["mallory", "ann"])
            let own = try #require(listed.last?.installation)
            let newest = try await server.device(hers.id)
            #expect(newest.contactKey == "mallory" && newest.otherInstallations?.map(\.contactKey) == ["ann"])
            #expect(newest.otherInstallations?.map(\.installation) == [own])
            let address = "/apps/shop/devices/\(hers.id)"
            let chosen = try await server.admin(.get, "\(address)?installation=\(own)").json(DeviceResponse.self)
            #expect(chosen.contactKey == "ann" && chosen.installation == own)
            for path in ["", "/events", "/messages"] {
                #expect(try await server.admin(.get, "\(address)\(path)?installation=\(own)").status == .ok)
                let unknown = try await server.admin(.get, "\(address)\(path)?installation=99999")
                #expect(unknown.status == .notFound, "\(path)")
                let wrong = try await server.admin(.get, "\(address)\(path)?installation=ann")
                #expect(wrong.status == .badRequest, "\(path)")
            }
        }
    }

    @Test("LED-5, ID-9: an explanation takes a party identifier, alone")
    func explainedByParty() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.call(.post, "/client", #"{"platform":"ios","sdkVersion":"1.0.0"}"#)
            try await device.call(
                .post, "/client/contact", #"{"partyIdentifier":{"type":"crm","name":"main","number":"4711"}}"#
            )
            let made = try await server.admin(
                .post, "/apps/shop/campaigns",
                #"{"name":"Sale","kind":"push","audience":{"everyone":true},"push":{"title":"Hi","body":"Only today"}}"#
            )
            let id = try #require(try JSONValue(json: made.text)["id"]?.optionalString)
            func explain(_ query: String) async throws -> APIResponse {
                try await server.admin(.get, "/apps/shop/explain?campaign=\(id)&\(query)")
            }
            for query in ["partyNumber=4711", "partyNumber=4711&partyType=crm&partyName=main"] {
                let answer = try await explain(query).json(ExplainResponse.self)
                #expect(answer.state == "notInAudience" && answer.devices?.map(\.deviceId) == [device.id], "\(query)")
            }
            #expect(try await explain("partyNumber=4712").status == .notFound)
            #expect(try await explain("partyNumber=4711&partyType=web").status == .notFound)
            #expect(try await explain("partyNumber=4711&device=\(device.id)").status == .badRequest)
            #expect(try await explain("partyType=crm").status == .badRequest)
            #expect(try await explain("").status == .badRequest)
        }
    }
}
