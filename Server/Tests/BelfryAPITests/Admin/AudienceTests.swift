import BelfryModel
import BelfryWire
import Foundation
import Hummingbird
import HummingbirdTesting
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

    @Test("CAMP-3: an audience is counted before anybody makes a campaign of it")
    func counts() async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            for (audience, devices) in Self.counts {
                let answer = try await server.admin(.post, "/apps/shop/audience", Self.body(audience))
                #expect(answer.status == .ok, "\(audience): \(answer.text)")
                #expect(try answer.json(AudienceCountAnswer.self).devices == devices, "\(audience)")
            }
            try await server.makeApp("empty")
            let empty = try await server.admin(.post, "/apps/empty/audience", Self.body(#"{"everyone":true}"#))
            #expect(try empty.json(AudienceCountAnswer.self).devices == 0)
        }
    }

    @Test("SEC-7: a query in the name of an event's attribute tells nothing: whatever it asks, nobody has that name")
    func queriesInNames() async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            var device = TestDevice(server)
            try await device.start(contactKey: "bert")
            // What the name would become, were it a part of the statement.
            try await device.track(
                #"""
                {"id":"q","type":"custom","name":"purchase","timestamp":"2026-11-20T12:00:00.000Z",
                "attributes":{"x\u06001\u0301":"w","x\u0600":"v"}}
                """#
            )
            for query in ["SELECT 1", "SELECT 0", "SELECT count(*) FROM apps", "SELECT nullif(1, 1)"] {
                let name = #"x\u0600'||(\#(query))||'\u0301"#
                let audience = #"{"event":"purchase","where":{"attribute":"\#(name)","op":"exists"}}"#
                let answer = try await server.admin(.post, "/apps/shop/audience", Self.body(audience))
                #expect(try answer.json(AudienceCountAnswer.self).devices == 0, "\(query)")
            }
        }
    }

    @Test("SEC-7, CAMP-3: the longest lists are answered; one entry more is refused with its limit")
    func longestLists() async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            func ask(_ audience: String) async throws -> TestResponse {
                try await server.admin(.post, "/apps/shop/audience", Self.body(audience))
            }
            let keys = (0..<9_999).map { #""k\#($0)""# } + [#""anna""#]
            let texts = (0..<9_999).map { "\($0)" } + [#""Paris""#]
            for audience in [
                #"{"contactKeys":[\#(keys.joined(separator: ","))]}"#,
                #"{"attribute":"city","op":"in","value":[\#(texts.joined(separator: ","))]}"#,
            ] {
                let answer = try await ask(audience)
                #expect(answer.status == .ok, "\(answer.text.prefix(300))")
                #expect(try answer.json(AudienceCountAnswer.self).devices == 1)
            }
            let refused = try await ask(#"{"contactKeys":[\#((keys + keys).joined(separator: ","))]}"#)
            #expect((400...422).contains(refused.status.code) && refused.text.contains("10000 entries"))
        }
    }

    @Test(
        "ADM-3: a bad audience is a 400 for its shape and a 422 for its meaning, by its place",
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
    func faults(audience: String, status: Int, target: String) async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            let answer = try await server.admin(.post, "/apps/shop/audience", Self.body(audience))
            #expect(answer.status.code == status, "\(answer.text)")
            #expect(try answer.json(ErrorBody.self).error.target == target)
        }
    }

    @Test("ADM-3: every fault of an audience is named in one answer, also when a campaign is saved")
    func severalFaults() async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            let audience = """
                {"any":[{"attribute":"hat","op":"exists"},{"not":{"attribute":"born","op":">","value":true}},
                {"device":"pushOptIn","op":"<","value":true}]}
                """
            let draft = #"{"name":"n","kind":"push","push":{"title":"t","body":"b"},"audience":\#(audience)}"#
            for (path, body) in [("/apps/shop/audience", Self.body(audience)), ("/apps/shop/campaigns", draft)] {
                let answer = try await server.admin(.post, path, body).json(ErrorBody.self)
                let targets = [answer.error.target] + (answer.details ?? []).map(\.target)
                #expect(targets == ["audience.any[0].attribute", "audience.any[1].not.value", "audience.any[2].op"])
            }
        }
    }

    @Test("ADM-2: a date without an offset is in the app's time zone")
    func zone() async throws {
        try await TestServer.run { server in
            try await Self.people(on: server)
            let late = Self.body(#"{"attribute":"born","op":">","value":"1990-05-29T13:00"}"#)
            let before = try await server.admin(.post, "/apps/shop/audience", late).json(AudienceCountAnswer.self)
            _ = try await server.admin(.put, "/apps/shop/settings", #"{"timeZone":"Asia/Tokyo"}"#)
            let after = try await server.admin(.post, "/apps/shop/audience", late).json(AudienceCountAnswer.self)
            // One in the afternoon is an hour later in UTC, and eight hours earlier in Tokyo.
            #expect(before.devices == 0 && after.devices == 1)
        }
    }

    @Test("ADM-1: to count an audience takes the scope read")
    func scope() async throws {
        try await TestServer.run { server in
            try await server.makeApp()
            for (scopes, status) in [(["read"], 200), (["campaign"], 403)] {
                let key = try await server.makeKey(scopes)
                let answer = try await server.admin(
                    .post, "/apps/shop/audience", Self.body(#"{"everyone":true}"#), key: key
                )
                #expect(answer.status.code == status)
            }
        }
    }
}
