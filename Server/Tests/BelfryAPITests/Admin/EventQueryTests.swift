import BelfryAPI
import BelfryModel
import Foundation
import Hummingbird
import Testing

@Suite("Queries for a device's events")
struct EventQueryTests {
    private static func event(_ id: String, _ name: String, minute: Int, _ attributes: String = "{}") -> String {
        let at = String(format: "2026-11-21T12:%02d:00.000Z", minute)
        return #"{"id":"\#(id)","type":"custom","name":"\#(name)","timestamp":"\#(at)","attributes":\#(attributes)}"#
    }

    private static let story = [
        event("e0", "view", minute: 0, #"{"city":"Paris","price":12.5}"#),
        event("e1", "purchase", minute: 1, #"{"city":"Paris","price":"12.50","gift":true}"#),
        event("e2", "purchase", minute: 2, #"{"city":"paris","price":7,"a&b=c":"50%"}"#),
        event("e3", "view", minute: 3, #"{"city":"São Paulo"}"#),
        event("e4", "purchase", minute: 3, #"{"city":""}"#),
    ]

    private static let questions: [(query: String, ids: [String])] = [
        ("", ["e4", "e3", "e2", "e1", "e0"]),
        ("name=purchase", ["e4", "e2", "e1"]),
        ("name=%20purchase", ["e4", "e2", "e1"]),
        ("name=nothing", []),
        ("from=2026-11-21T12:02:00Z", ["e4", "e3", "e2"]),
        ("to=2026-11-21T12:02:00Z", ["e1", "e0"]),
        ("from=2026-11-21T12:01:00Z&to=2026-11-21T12:03:00Z", ["e2", "e1"]),
        ("from=2026-11-21T13:02:00%2B01:00", ["e4", "e3", "e2"]),
        ("from=2026-11-21T13:02:00+01:00", ["e4", "e3", "e2"]),
        ("attribute.city=Paris", ["e1", "e0"]),
        ("attribute.city=", ["e4"]),
        ("attribute.city=S%C3%A3o%20Paulo", ["e3"]),
        // As in an audience, numbers are compared with texts that read as numbers.
        ("attribute.price=12.5", ["e1", "e0"]),
        ("attribute.price=7.0", ["e2"]),
        ("attribute.gift=true", ["e1"]),
        ("attribute.missing=", []),
        ("attribute.a%26b%3Dc=50%25", ["e2"]),
        ("attribute.city=Paris&attribute.city=paris", []),
        ("attribute.city=Paris&attribute.price=12.5&name=purchase", ["e1"]),
        ("name=purchase&from=2026-11-21T12:01:30Z&to=2026-11-21T12:03:00Z&attribute.city=paris", ["e2"]),
        // A byte order mark is part of a name.
        ("attribute.%EF%BB%BFcity=Paris", []),
        ("attributes.city=Paris", ["e4", "e3", "e2", "e1", "e0"]),
    ]

    @Test("EVT-7: events are found by name, time and attributes, and by all of them together")
    func questions() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            #expect(try await device.track(Self.story.joined(separator: ",")).status == .noContent)
            let path = "/apps/shop/devices/\(device.id)/events"
            for (query, ids) in Self.questions {
                let response = try await server.admin(.get, "\(path)?\(query)").json(DeviceEventsResponse.self)
                #expect(response.events.map(\.id).sorted() == ids.sorted(), "\(query)")
                #expect(response.cursor == nil)
                // Page by page they are the same, in the same order.
                var seen: [String] = []
                var cursor: String?
                repeat {
                    let next = cursor.map { "&cursor=\($0)" } ?? ""
                    let page = try await server.admin(.get, "\(path)?limit=1\(next)&\(query)")
                        .json(DeviceEventsResponse.self)
                    seen += page.events.map(\.id)
                    cursor = page.cursor
                } while cursor != nil && seen.count < 9
                #expect(seen == response.events.map(\.id), "\(query)")
            }
        }
    }

    @Test("EVT-7, ADM-3: an invalid part of the query is refused with 400 and named")
    func rejections() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let many = (0...64).map { "attribute.a\($0)=1" }.joined(separator: "&")
            let cases: [(query: String, code: String, target: String)] = [
                ("name=", "invalidName", "name"),
                ("name=\(String(repeating: "n", count: 129))", "invalidName", "name"),
                ("from=yesterday", "invalidDate", "from"), ("from=", "invalidDate", "from"),
                ("to=2026-11-21", "invalidDate", "to"), ("to=2026-02-30T00:00:00Z", "invalidDate", "to"),
                ("from=2026-11-21T12:00:00Z&to=2026-11-21T12:00:00Z", "outOfRange", "to"),
                ("attribute.=x", "badRequest", "attribute."),
                ("attribute.%ff=x", "badRequest", "attribute.%ff"),
                (many, "outOfRange", "attribute"),
            ]
            for (query, code, target) in cases {
                let response = try await server.admin(.get, "/apps/shop/devices/\(device.id)/events?\(query)")
                try expectError(response, .badRequest, code, target: target, "\(query)")
            }
        }
    }

    @Test("EVT-7: one response compares a limited number of events, and has a cursor to continue")
    func bounded() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            try await device.track(Self.event("wanted", "rare", minute: 0, #"{"city":"Paris"}"#))
            for request in 0..<6 {
                let events = (0..<2_000).map { Self.event("e\(request)-\($0)", "n", minute: 1) }
                try await device.track(events.joined(separator: ","))
            }
            for query in ["attribute.city=Paris", "name=rare"] {
                let path = "/apps/shop/devices/\(device.id)/events?\(query)"
                let first = try await server.admin(.get, path).json(DeviceEventsResponse.self)
                #expect(first.events.isEmpty, "\(query)")
                let cursor = try #require(first.cursor)
                let second = try await server.admin(.get, "\(path)&cursor=\(cursor)").json(DeviceEventsResponse.self)
                #expect(second.events.map(\.id) == ["wanted"], "\(query)")
                #expect(second.cursor == nil)
            }
        }
    }
}
