import BelfryAPI
import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import Testing

struct AudienceTests {
    private static func body(_ audience: String) -> String { #"{"audience":\#(audience)}"# }

    /// Anna with push, in Paris, who bought twice; an anonymous device without anything.
    private static func people(on server: TestServer) async throws {
        try await server.makeApp()
        for (key, type) in [("city", "string"), ("born", "date")] {
            _ = try await server.admin(.put, "/apps/shop/attributes/\(key)", #"{"type":"\#(type)"}"#)
        }
        var anna = TestDevice(server)
        try await anna.start(contactKey: "anna")
        let others = """
            ,"contactKey":"anna","pushToken":"0123456789abcdef","lastOpenedAt":"2026-11-20T12:00:00Z","tags":["sports"],
            "attributes":{"city":"Paris","born":"1990-05-29T12:00:00Z"},"platform":"ios"
            """
        try await anna.call(.post, "/client/registration", anna.snapshot(revision: 1, others))
        for number in 1...2 {
            try await anna.track(
                """
                {"id":"e\(number)","type":"custom","name":"purchase","timestamp":"2026-11-20T12:00:00.000Z",
                "attributes":{"amount":\(number)0.5}}
                """
            )
        }
        var other = TestDevice(server)
        try await other.start()
        _ = try await server.registrations.processWaiting()
    }

    private static let counts: [(audience: String, devices: Int)] = [
        (#"{"everyone":true}"#, 2),
        (#"{"attribute":"city","op":"==","value":"Paris"}"#, 1),
        (#"{"attribute":"born","op":"==","value":"1990-05-29"}"#, 1),
        (#"{"not":{"tag":"sports"}}"#, 1),
        (#"{"device":"pushOptIn","op":"==","value":true}"#, 1),
        (#"{"device":"lastOpenedAt","op":">=","value":"-P30D"}"#, 1),
        (#"{"event":"purchase","count":{"op":">=","value":2},"within":"P30D"}"#, 1),
        (#"{"event":"purchase","where":{"attribute":"amount","op":">","value":20}}"#, 1),
        (#"{"event":"purchase","count":{"op":">=","value":3}}"#, 0),
        (#"{"all":[{"known":true},{"any":[{"tag":"a"},{"contactKeys":["anna"]}]}]}"#, 1),
    ]

    @Test(
        "ADM-3, SEC-2: an error names twenty problems and counts the rest, however much an app has defined")
    func manyFaults() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            let (name, now) = (String(repeating: "x", count: 100), server.clock.now)
            try await server.database.write { connection in
                let app = try #require(try connection.apps.find(AppCode("shop")))
                for number in 0..<500 {
                    let key = try AttributeKey("\(name)\(number)")
                    try connection.attributes.define(key, type: .string, app: app.id, now: now)
                }
            }
            let parts = (0..<200).map { #"{"attribute":"shoe\#($0)","op":"exists","value":true}"# }
            let body = Self.body(#"{"all":[\#(parts.joined(separator: ","))]}"#)
            let response = try await server.admin(.post, "/apps/shop/audience", body)
            try expectError(
                response, .unprocessableContent, "undefinedAttribute", target: "audience.all[0].attribute")
            let details = try #require(try response.json(ErrorBody.self).details)
            #expect(details.count == 20 && details[18].target == "audience.all[19].attribute")
            #expect(details[19].code == "moreFaults" && details[19].message.contains("180 more"))
            #expect(response.body.readableBytes < 65_536)
            let keys = (0..<50).map { #""unknown\#($0)":1"# }.joined(separator: ",")
            let unknown = try await server.admin(.put, "/apps/shop/settings", "{\(keys)}")
            try expectError(unknown, .unprocessableContent, "notSupported", target: "unknown0")
            let others = try #require(try unknown.json(ErrorBody.self).details)
            #expect(others.count == 20 && others[19].code == "moreFaults" && others[19].message.contains("30 more"))
        }
    }

    @Test("CAMP-3: an audience can be counted before it is in a campaign")
    func counts() async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            for (audience, devices) in Self.counts {
                let response = try await server.admin(.post, "/apps/shop/audience", Self.body(audience))
                #expect(response.status == .ok, "\(audience): \(response.text)")
                #expect(try response.json(AudienceCountResponse.self).devices == devices, "\(audience)")
            }
            try await server.makeApp("empty")
            let empty = try await server.admin(.post, "/apps/empty/audience", Self.body(#"{"everyone":true}"#))
            #expect(try empty.json(AudienceCountResponse.self).devices == 0)
        }
    }

    @Test("SEC-7: a query in the name of an event's attribute reveals nothing: no attribute has that name")
    func queriesInNames() async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            var device = TestDevice(server)
            try await device.start(contactKey: "bert")
            // What the name would do if it were part of the statement.
            try await device.track(
                #"""
                {"id":"q","type":"custom","name":"purchase","timestamp":"2026-11-20T12:00:00.000Z",
                "attributes":{"x\u06001\u0301":"w","x\u0600":"v"}}
                """#
            )
            for query in ["SELECT 1", "SELECT 0", "SELECT count(*) FROM apps", "SELECT nullif(1, 1)"] {
                let name = #"x\u0600'||(\#(query))||'\u0301"#
                let audience = #"{"event":"purchase","where":{"attribute":"\#(name)","op":"exists"}}"#
                let response = try await server.admin(.post, "/apps/shop/audience", Self.body(audience))
                #expect(try response.json(AudienceCountResponse.self).devices == 0, "\(query)")
            }
        }
    }

    @Test("SEC-7, CAMP-3: the longest lists are accepted; one entry more is refused with its limit")
    func longestLists() async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            func ask(_ audience: String) async throws -> APIResponse {
                try await server.admin(.post, "/apps/shop/audience", Self.body(audience))
            }
            let keys = (0..<9_999).map { #""k\#($0)""# } + [#""anna""#]
            let texts = (0..<9_999).map { "\($0)" } + [#""Paris""#]
            for audience in [
                #"{"contactKeys":[\#(keys.joined(separator: ","))]}"#,
                #"{"attribute":"city","op":"in","value":[\#(texts.joined(separator: ","))]}"#,
            ] {
                let response = try await ask(audience)
                #expect(response.status == .ok, "\(response.text.prefix(300))")
                #expect(try response.json(AudienceCountResponse.self).devices == 1)
            }
            let rejected = try await ask(#"{"contactKeys":[\#((keys + keys).joined(separator: ","))]}"#)
            #expect((400...422).contains(rejected.status.code) && rejected.text.contains("10000 entries"))
        }
    }

    @Test(
        "ADM-3: a bad audience is a 400 for its shape and a 422 for its meaning, with its place",
        arguments: [
            ("{}", 400, "audience"), ("7", 400, "audience"),
            (#"{"event":"a","within":"month"}"#, 400, "audience.within"),
            (#"{"event":"a","count":{"op":"~","value":1}}"#, 400, "audience.count.op"),
            (#"{"device":"pushOptin","op":"==","value":true}"#, 400, "audience.device"),
            (#"{"all":[{"tag":"a"},{"attribute":"hat","op":"exists"}]}"#, 422, "audience.all[1].attribute"),
            (#"{"attribute":"born","op":"<","value":"soon"}"#, 422, "audience.value"),
            (#"{"event":"a","where":{"tag":"b"}}"#, 422, "audience.where.tag"),
            (#"{"event":"a","count":{"op":">","value":10001}}"#, 422, "audience.count.value"),
            (#"{"event":"a","since":"P1D"}"#, 422, "audience.since"),
        ] as [(String, Int, String)]
    )
    func errors(audience: String, status: Int, target: String) async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            let response = try await server.admin(.post, "/apps/shop/audience", Self.body(audience))
            #expect(response.status.code == status, "\(response.text)")
            #expect(try response.json(ErrorBody.self).error.target == target)
        }
    }

    @Test("ADM-3: every error of an audience is in one response, also when a campaign is saved")
    func severalFaults() async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            let audience = """
                {"any":[{"attribute":"hat","op":"exists"},{"not":{"attribute":"born","op":">","value":true}},
                {"device":"pushOptIn","op":"<","value":true}]}
                """
            let draft = #"{"name":"n","kind":"push","push":{"title":"t","body":"b"},"audience":\#(audience)}"#
            for (path, body) in [("/apps/shop/audience", Self.body(audience)), ("/apps/shop/campaigns", draft)] {
                let response = try await server.admin(.post, path, body).json(ErrorBody.self)
                let targets = [response.error.target] + (response.details ?? []).map(\.target)
                #expect(targets == ["audience.any[0].attribute", "audience.any[1].not.value", "audience.any[2].op"])
            }
        }
    }

    @Test("ADM-2: a date without an offset is in the app's time zone")
    func zone() async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            let late = Self.body(#"{"attribute":"born","op":">","value":"1990-05-29T13:00"}"#)
            let before = try await server.admin(.post, "/apps/shop/audience", late).json(AudienceCountResponse.self)
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"timeZone":"Asia/Tokyo"}"#)
            let after = try await server.admin(.post, "/apps/shop/audience", late).json(AudienceCountResponse.self)
            // 13:00 here is an hour later in UTC, and eight hours earlier in Tokyo.
            #expect(before.devices == 0 && after.devices == 1)
        }
    }

    @Test("ADM-1: counting an audience needs the scope read, or a wider one")
    func scope() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for (scopes, status) in [(["read"], 200), (["campaign"], 200), ([], 403)] {
                let key = try await server.makeKey(scopes)
                let response = try await server.admin(
                    .post, "/apps/shop/audience", Self.body(#"{"everyone":true}"#), key: key
                )
                #expect(response.status.code == status)
            }
        }
    }
}
