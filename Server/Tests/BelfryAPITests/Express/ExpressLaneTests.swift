import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Hummingbird
import Testing

@testable import BelfryAPI

/// Which requests the express lane takes, and which it does not.
@Suite("The express lane")
struct ExpressLaneTests {
    private static let events = #"{"events":[\#(EventTests.event("e1"))]}"#

    private static func upload(
        _ device: TestDevice, _ body: String = events, version: String = "v3",
        _ change: (inout WireRequest) -> Void = { _ in }
    ) -> WireRequest {
        let order = device.server.clock.now.milliseconds
        var request = WireRequest("/client/events", body, by: device, order: order, version: version)
        change(&request)
        return request
    }

    private static func with(_ name: String, _ value: String, _ device: TestDevice) -> WireRequest {
        upload(device) { $0.set(name, value) }
    }

    private static func ordinary(_ device: TestDevice) -> [(what: String, request: WireRequest)] {
        let many = (0..<ExpressLane.maximumEvents).map { EventTests.event("m\($0)", #","attributes":{"sku":"42"}"#) }
        return [
            ("an event", upload(device)), ("the same under version 4", upload(device, version: "v4")),
            ("many events", upload(device, #"{"events":[\#(many.joined(separator: ","))]}"#)),
            ("no event", upload(device, #"{"events":[]}"#)),
            ("no event, and no wish for a message", upload(device, #"{"dnd":true,"events":[]}"#)),
            ("white space", upload(device, events.replacing(",", with: " ,\n "))),
            ("chunks", upload(device) { $0.chunks = [3, 50] }),
            ("a clock that is wrong", with("X-Request-Order", "1000000000000", device)),
            ("a connection that is kept", with("Connection", "keep-alive", device)),
            ("another spelling of the id", with("X-Client-Id", device.id.lowercased(), device)),
            ("a client of version 3", with("X-EMARSYS-SDK-VERSION", "3.10.2", device)),
            ("an answer that may be packed", with("Accept-Encoding", "gzip", device)),
        ]
    }

    private static func others(_ device: TestDevice) throws -> [(what: String, request: WireRequest)] {
        let packed = try #require(Deflation.gzip(Array(events.utf8)))
        let clicks = events.replacing("{\"events", with: #"{"clicks":[{"campaignId":"1"}],"events"#)
        let state = events.replacing("{\"events", with: #"{"deviceEventState":{},"events"#)
        var gzip = with("Content-Encoding", "gzip", device)
        gzip.body = packed
        let many = (0...ExpressLane.maximumEvents).map { EventTests.event("n\($0)") }.joined(separator: ",")
        return [
            ("a fault", upload(device, events.replacing("custom", with: "weird"))), ("clicks", upload(device, clicks)),
            ("a state", upload(device, state, version: "v4")), ("no body", upload(device, "")), ("a packed body", gzip),
            ("more events than are read in a moment", upload(device, #"{"events":[\#(many)]}"#)),
            ("a page", with("Origin", "https://shop.example", device)),
            ("another type", with("Content-Type", "application/json; charset=utf-8", device)),
            ("a wish to be told", with("Expect", "100-continue", device)),
            ("no token", with("X-Contact-Token", "", device)),
            ("a rotten token", with("X-Contact-Token", "a.b.c", device)),
            ("two ids", upload(device) { $0.headers.insert(("X-Client-Id", ""), at: 0) }),
            ("two tokens", upload(device) { $0.headers.insert(("X-Contact-Token", ""), at: 0) }),
            ("a question", upload(device) { $0.path += "?a=b" }),
            ("another method", upload(device) { $0.method = "PUT" }),
        ]
    }

    @Test("PERF-3, PERF-4: ordinary uploads take the lane, all others the router", .timeLimit(.minutes(15)))
    func takes() async throws {
        try await TestServer.run(over: .lane) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let connection = try await WireConnection.open(to: server)
            for (what, request) in Self.ordinary(device) {
                let response = try #require(try await connection.answer(to: request), "\(what)")
                #expect(response.status == 204 && response.isExpress(of: server), "\(what): \(response.timeless)")
            }
            for (what, request) in try Self.others(device) {
                let response = try #require(try await connection.answer(to: request), "\(what)")
                #expect(!response.isExpress(of: server), "\(what): \(response.timeless)")
            }
            await connection.close()
        }
    }

    @Test("WIRE-20: two client ids are none, even where both together would be one", .timeLimit(.minutes(15)))
    func twoIDs() async throws {
        try await TestServer.run(over: .lane) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let before = try await server.contents()
            let connection = try await WireConnection.open(to: server)
            for other in [device.id, "9774d56d682e549c", ""] {
                let request = Self.upload(device) { $0.headers.insert(("X-Client-Id", other), at: 0) }
                let response = try #require(try await connection.answer(to: request))
                #expect(response.status == 400, "\(other): \(response.timeless)")
            }
            await connection.close()
            #expect(try await server.contents() == before)
        }
    }

    @Test(
        "PERF-5, WIRE-7: a plain new snapshot takes the lane; a repeated or special one the router",
        .timeLimit(.minutes(15)))
    func registrations() async throws {
        try await TestServer.run(over: .lane) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let id = UUID().uuidString
            let whole =
                #","attributes":{"city":"Paris"},"tags":["a","b"],"pushToken":"0123456789abcdef","locale":"fr_FR""#
            let bodies: [(body: String, status: Int, isExpress: Bool)] = [
                (device.snapshot(revision: 1, registrationID: id, whole), 201, true),
                (device.snapshot(revision: 1, registrationID: id, whole), 201, false),
                (device.snapshot(revision: 2, registrationID: id, whole), 409, false),
                (device.snapshot(revision: 3), 201, true), (device.snapshot(revision: 0), 400, false),
                (device.snapshot(revision: 4, #","attributes":{"city":null}"#), 201, false),
                (device.snapshot(revision: 5, #","unknown":1"#), 201, false),
                (device.snapshot(revision: 6, #","pushProvider":"owl""#), 400, false),
                (device.snapshot(revision: 7, #","locale":"fr","locale":"de""#), 201, false),
            ]
            let connection = try await WireConnection.open(to: server)
            for (body, status, isExpress) in bodies {
                let order = server.clock.now.milliseconds
                let request = WireRequest("/client/registration", body, by: device, order: order)
                let response = try #require(try await connection.answer(to: request), "\(body)")
                #expect(
                    response.status == status && response.isExpress(of: server) == isExpress,
                    "\(body): \(response.timeless)")
            }
            await connection.close()
            #expect(try await server.registrations.processWaiting() == 5)
        }
    }

    @Test("WIRE-7, REG-20: a snapshot that took the lane is processed as it is", .timeLimit(.minutes(15)))
    func processed() async throws {
        try await TestServer.run(over: .lane) { server in
            try await server.makeApp()
            _ = try await server.admin(.put, "/apps/shop/attributes/city", #"{"type":"string"}"#)
            var device = TestDevice(server)
            try await device.start()
            let others = #","contactKey":"anna","attributes":{"city":"Paris"},"tags":["sports"],"locale":"fr_FR""#
            let response = try await device.call(.post, "/client/registration", device.snapshot(revision: 1, others))
            #expect(response.header("Date") == HTTPDateText().text(server.clock.now))
            #expect(try await server.registrations.processWaiting() == 1)
            let contact = try await server.admin(.get, "/apps/shop/contacts/anna").json(ContactResponse.self)
            #expect(contact.attributes == ["city": "Paris"] && contact.tags == ["sports"])
            #expect(try await server.device(device.id).system.locale == "fr_FR")
        }
    }

    @Test(
        "REG-21, WIRE-7: the lane, too, says that a revision which the server knows is not applied",
        .timeLimit(.minutes(15)))
    func knownRevision() async throws {
        try await TestServer.run(over: .lane) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            var statuses: [ReceiptStatus] = []
            for revision in [2, 2, 1, 3] {
                let response = try await device.call(.post, "/client/registration", device.snapshot(revision: revision))
                statuses.append(try response.json(RegistrationResponse.self).status)
            }
            #expect(statuses == [.received, .superseded, .superseded, .received])
        }
    }

    @Test(
        "ID-7, ID-8: events of an anonymous contact follow its history, over the lane too",
        .timeLimit(.minutes(15)))
    func mergedContacts() async throws {
        try await TestServer.run(over: .lane) { server in
            let cast = try await UploadCast(on: server)
            var anna = TestDevice(server)
            anna.id = cast.anna.id
            anna.contactToken = cast.anna.token
            let late = EventTests.event("late", #","contact":"\#(cast.anna.reference)""#)
            let others =
                "\(EventTests.event("now")),\(EventTests.event("forged", #","contact":"\#(cast.guest.reference)""#))"
            let response = try await anna.track("\(late),\(others)")
            #expect(response.header("Date") == HTTPDateText().text(server.clock.now))
            let owners = try await server.database.read { connection in
                try connection.query(
                    "SELECT e.event_id || ' ' || c.contact_key FROM events e JOIN contacts c ON c.id = e.contact_id", []
                ) { $0.text(0) }
            }
            #expect(Set(owners) == ["late anna", "now anna"])
        }
    }

    @Test("SEC-2: a call is counted once, whichever way it takes", .timeLimit(.minutes(15)))
    func counted() async throws {
        let few = RequestRates(perDevice: 20, limitsLoopback: true)
        try await TestServer.run(rates: few, over: .lane) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            // Before it had a token its address was counted. Of these some are refused by the lane at their body, some by
            // the store.
            let body = device.snapshot(revision: 1, registrationID: "0B0F8F6E-2A2C-4A7B-8B0E-6E2C3A4B5C6D")
            for number in 0..<10 {
                let response = try await device.track(EventTests.event("e\(number)").replacing("custom", with: "weird"))
                #expect(response.status == .ok)
                #expect(try await device.call(.post, "/client/registration", body).status == .created)
            }
            #expect(try await device.track(EventTests.event("last")).status == .tooManyRequests)
            let metrics = try await server.call(.get, "/metrics").text
            #expect(metrics.contains(#"belfry_requests_limited_total{limit="device"} 1"#))
            server.clock.advance(by: 3)
            #expect(try await device.track(EventTests.event("later")).status == .noContent)
        }
    }

    @Test(
        "WIRE-6, WIRE-10: the addresses of the lane are those of its calls, character by character",
        arguments: [
            (.post, "/v3/apps/shop/client/events", .events(.v3), "shop"),
            (.post, "/v4/apps/shop/client/events", .events(.v4), "shop"),
            (.post, "/v3/apps/a.b-c_1/client/registration", .registration, "a.b-c_1"),
            (.post, "/v3/apps//client/events", .events(.v3), ""),
            (.get, "/v3/apps/shop/client/message-centers", .messageCenters, "shop"),
            (.get, "/v3/apps/shop/client/message-centers/Primary/messages", .messages("Primary"), "shop"),
            (.get, "/v3/apps/shop/client/message-centers//messages", .messages(""), "shop"),
            (.get, "/v3/apps/shop/client/in-app-messages?since=aZ09-_", .inAppMessages("aZ09-_"), "shop"),
        ] as [(HTTPRequest.Method, String, ExpressCall, String)]
    )
    func finds(method: HTTPRequest.Method, path: String, call: ExpressCall, app: String) {
        let found = ExpressCall.find(method, path)
        #expect(found?.call == call && found?.app == app)
    }

    @Test(
        "WIRE-6: no other address is the lane's",
        arguments: [
            "", "/", "/v3/apps/", "/v5/apps/shop/client/events", "/v4/apps/shop/client/registration",
            "/v3/apps/shop/client/events/", "/v3/apps/shop/client/events?x", "/v3/apps/a/b/client/events",
            "/v3/apps/sh%6fp/client/events", "/v3/apps/shop/client/Events", "v3/apps/shop/client/events",
            "//v3/apps/shop/client/events", "/v3/apps/shop/client/event", "/v3/apps/shop/client", "/client/events",
            "/v3/app/shop/client/events", "http://a/v3/apps/shop/client/events",
            "/v4/apps/shop/client/message-centers", "/v3/apps/shop/client/message-centers/",
            "/v3/apps/shop/client/message-centers?x", "/v3/apps/shop/client/message-centers/Primary",
            "/v3/apps/shop/client/message-centers/Pri%6dary/messages",
            "/v3/apps/shop/client/message-centers/Primary/messages?x",
            "/v3/apps/shop/client/message-centers/a/b/messages", "/v3/apps/shop/x/message-centers/Primary/messages",
            "/v3/apps/shop/client/in-app-messages", "/v3/apps/shop/client/in-app-messages?since=",
            "/v3/apps/shop/client/in-app-messages?since=a&b=c", "/v3/apps/shop/client/in-app-messages?since=a%2D",
            "/v3/apps/shop/client/in-app-messages?x&since=a", "/v4/apps/shop/client/in-app-messages?since=a",
        ]
    )
    func findsNothing(path: String) {
        for method in [HTTPRequest.Method.post, .get] {
            #expect(ExpressCall.find(method, path)?.call == nil)
        }
    }

    @Test("WIRE-6, WIRE-10: a call with another method is not the lane's")
    func otherMethods() {
        #expect(ExpressCall.find(.get, "/v3/apps/shop/client/events")?.call == nil)
        for method in [HTTPRequest.Method.post, .head, .put] {
            #expect(ExpressCall.find(method, "/v3/apps/shop/client/message-centers")?.call == nil)
        }
    }
}
