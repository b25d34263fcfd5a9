import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Events")
struct EventTests {
    static let at = "2026-11-21T12:00:00.123Z"

    static func event(_ id: String, name: String = "add_to_cart", _ others: String = "") -> String {
        #"{"id":"\#(id)","type":"custom","name":"\#(name)","timestamp":"\#(at)"\#(others)}"#
    }

    @Test(
        "WIRE-6: a composite body is stored under both versions' addresses, and each gets its own response",
        arguments: [
            ("v3", #"{"oldCampaigns":["123"]}"#), ("v4", #"{"deviceEventState":{ "campaignStats" : { } }}"#),
        ])
    func stores(version: String, said: String) async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let body = """
                {
                  "dnd" : true, "language" : "en", "ems_sdk" : "3.10.2", "application_version" : "1.2.3",
                  "viewedMessages" : [ { "campaignId" : "123", "timestamp" : "2024-05-01T10:20:30.123Z" } ],
                  "clicks" : [ ], "deviceEventState" : { "campaignStats" : { } },
                  "events" : [
                    { "type" : "internal", "name" : "session:start", "timestamp" : "2024-05-01T10:20:30.123Z",
                      "sessionId" : "8F1C", "attributes" : null, "unknown" : [ { } ] },
                    { "type" : "custom", "name" : " add_to_cart ", "timestamp" : "2024-05-01T10:20:31Z",
                      "attributes" : { "sku" : "42", "price" : 12.5, "count" : 3, "gift" : true, "note" : null } }
                  ]
                }
                """
            let response = try await device.call(.post, "/client/events", body, version: version)
            #expect(response.status == .ok && response.text == said)
            #expect(response.header("X-Client-State") != nil)
            let events = try await device.events()
            #expect(events.map(\.name) == ["add_to_cart", "session:start"])
            #expect(events.map(\.timestamp) == ["2024-05-01T10:20:31.000Z", "2024-05-01T10:20:30.123Z"])
            #expect(events[0].attributes == ["sku": "42", "price": 12.5, "count": 3, "gift": true])
            #expect(events[1].attributes.isEmpty)
        }
    }

    @Test("WIRE-6, EVT-4: a bad event is reported alone, with its index, its id and why; the rest is stored")
    func partialRejection() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let manyAttributes = (0..<65).map { #""a\#($0)":1"# }.joined(separator: ",")
            let long = String(repeating: "x", count: 65_536)
            let bad: [(event: String, id: String?, field: String)] = [
                ("3", nil, "expected an object"), ("null", nil, "expected an object"),
                (#"{"id":"b1","name":"n","timestamp":"\#(Self.at)"}"#, "b1", "type"),
                (#"{"id":"b2","type":"custom","timestamp":"\#(Self.at)"}"#, "b2", "name"),
                (#"{"id":"b3","type":"custom","name":"n"}"#, "b3", "timestamp"),
                (#"{"id":"b4","type":"weird","name":"n","timestamp":"\#(Self.at)"}"#, "b4", "type"),
                (#"{"id":"b5","type":"custom","name":"n","timestamp":"yesterday"}"#, "b5", "timestamp"),
                (#"{"id":"b6","type":"custom","name":7,"timestamp":"\#(Self.at)"}"#, "b6", "name"),
                (#"{"type":"custom","name":[],"timestamp":"\#(Self.at)","id":"b7"}"#, "b7", "name"),
                (Self.event("b8", name: "  "), "b8", "name"),
                (Self.event("b9", name: String(repeating: "x", count: 129)), "b9", "name"),
                (Self.event(""), nil, "id"),
                (Self.event(String(repeating: "x", count: 65)), nil, "id"),
                (#"{"id":5,"type":"custom","name":"n","timestamp":"\#(Self.at)"}"#, nil, "id"),
                (Self.event("b10", #","attributes":{\#(manyAttributes)}"#), "b10", "attributes"),
                (Self.event("b11", #","attributes":{"a":{"b":1}}"#), "b11", "attributes.a"),
                (Self.event("b12", #","attributes":{"a":[1]}"#), "b12", "attributes.a"),
                (Self.event("b13", #","attributes":{"a":1e999}"#), "b13", "attributes.a"),
                (Self.event("b14", #","attributes":{"a":"\#(long)"}"#), "b14", "attributes"),
                (Self.event("b15", #","attributes":[]"#), "b15", "attributes"),
                (Self.event("b16", #","sessionId":7"#), "b16", "sessionId"),
                (Self.event("b17", name: #"half \ud800"#), "b17", "name"),
            ]
            let good = [Self.event("g0"), Self.event("g1", #","attributes":{"a\"b":"\u00e9\ud83d\ude00"}"#)]
            let all = [good[0]] + bad.map(\.event) + [good[1]]
            let response = try await device.track(all.joined(separator: ","))
            #expect(response.status == .ok)
            let rejected = try #require(try response.json(EventBatchResponse.self).rejected)
            #expect(rejected.map(\.index) == Array(1...bad.count))
            #expect(rejected.map(\.id) == bad.map(\.id))
            for (rejection, expected) in zip(rejected, bad) {
                #expect(rejection.reason.hasPrefix(expected.field), "\(rejection)")
            }
            let stored = try await device.events()
            #expect(Set(stored.map(\.id)) == ["g0", "g1"])
            #expect(stored.first { $0.id == "g1" }?.attributes == ["a\"b": "é😀"])
        }
    }

    @Test("WIRE-6, EVT-8: events at the limits are stored")
    func limits() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let attributes = (0..<64).map { #""a\#($0)":\#($0)"# }.joined(separator: ",")
            let events = [
                Self.event(String(repeating: "i", count: 64)),
                Self.event("e1", name: String(repeating: "é", count: 128)),
                Self.event("e2", #","attributes":{\#(attributes)}"#), Self.event("e3", #","attributes":{}"#),
            ]
            #expect(try await device.track(events.joined(separator: ",")).status == .noContent)
            #expect(try await device.events().count == 4)
        }
    }

    @Test("WIRE-25, EVT-3: an event id is stored once, in one request or in many")
    func once() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            #expect(try await device.track("\(Self.event("e1")),\(Self.event("e1"))").status == .noContent)
            let before = try await server.contents()
            #expect(try await device.track(Self.event("e1")).status == .noContent)
            #expect(try await server.contents() == before)
            #expect(try await device.events().count == 1)
        }
    }

    @Test("WIRE-6: an event without an id gets one derived from its content, so a repetition is stored once")
    func derivedID() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            func event(_ name: String, _ at: String, _ others: String) -> String {
                #"{"type":"custom","name":"\#(name)","timestamp":"\#(at)"\#(others)}"#
            }
            let attributes = #","attributes":{"b":2,"a":1}"#
            let first = event("n", Self.at, attributes)
            // The same event in another spelling.
            let again = event(" n ", "2026-11-21T13:00:00.123+01:00", #","attributes":{ "a":1.0, "b":2, "c":null }"#)
            let others = [
                event("m", Self.at, attributes), event("n", "2026-11-21T12:00:00.124Z", attributes),
                event("n", Self.at, #","attributes":{"a":1,"b":3}"#),
                event("n", Self.at, attributes + #","sessionId":"s""#),
            ]
            #expect(try await device.track(([first, again] + others).joined(separator: ",")).status == .noContent)
            #expect(try await device.track(first).status == .noContent)
            let ids = try await device.events().map(\.id)
            #expect(ids.count == 1 + others.count)
            #expect(ids.allSatisfy { $0.count == 32 && $0.allSatisfy(\.isHexDigit) })

            // Another device's event is another event.
            var other = TestDevice(server)
            try await other.start()
            try await other.track(first)
            #expect(!ids.contains(try #require(try await other.events().first?.id)))
        }
    }

    @Test("WIRE-23: more events than one request may have are refused with 413, and none is stored")
    func tooMany() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let most = Array(repeating: "0", count: WireLimits.maximumEventsPerRequest)
            let response = try await device.track(most.joined(separator: ","))
            #expect(response.status == .ok)
            #expect(try response.json(EventBatchResponse.self).rejected?.count == most.count)
            let rejected = try await device.track((most + [Self.event("e1")]).joined(separator: ","))
            #expect(rejected.status == .contentTooLarge)
            #expect(try rejected.json(ErrorBody.self).error.target == "events")
            #expect(try await device.events().isEmpty)
        }
    }

    @Test("WIRE-6: an empty list is no error")
    func empty() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            #expect(try await device.track("").status == .noContent)
            #expect(try await device.events().isEmpty)
        }
    }

    @Test("ID-7: an event belongs to the contact that its reference names, for that device only")
    func contactReference() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start(contactKey: "anna")
            let reference = try #require(device.contactReference)
            try await device.call(.post, "/client/contact", #"{"contactFieldValue":"bert"}"#)
            try await device.track(
                "\(Self.event("of-anna", #","contact":"\#(reference)""#)),\(Self.event("of-bert")),"
                    + Self.event("forged", #","contact":"forged""#)
            )
            let owners = try await server.database.read { connection in
                try connection.query(
                    "SELECT e.event_id || ' ' || c.contact_key FROM events e JOIN contacts c ON c.id = e.contact_id", []
                ) { $0.text(0) }
            }
            #expect(Set(owners) == ["of-anna anna", "of-bert bert"])
            #expect(try await device.events().count == 3)
        }
    }
}
