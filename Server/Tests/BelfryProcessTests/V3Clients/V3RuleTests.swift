import Testing
import V3Client

/// The scripted client itself: what the stories show is worth as much as it keeps the vendors' rules.
@Suite("Rules of a v3 client")
struct V3RuleTests {
    private static func device(
        _ flavour: V3Flavour, reply: @escaping @Sendable (V3Request) -> V3Response
    ) async -> V3Device {
        var settings = V3Settings(flavour: flavour, app: "shop", host: "localhost")
        settings.isOnVendorHost = true
        let device = V3Device(settings: settings, wire: CannedWire(reply: reply), environment: .live)
        await device.tamper { store, _ in
            store.contactToken = "first"
            store.refreshToken = "refresh"
            store.pushToken = "push"
        }
        return device
    }

    private static func answer(_ status: Int, _ body: String = "", state: String? = "s") -> V3Response {
        let headers = state.map { [V3Field("x-client-state", $0)] } ?? []
        return V3Response(status: status, headers: headers, body: Array(body.utf8))
    }

    @Test("WIRE-22: after three refreshes the call is dropped", arguments: V3Flavour.allCases)
    func rounds(flavour: V3Flavour) async {
        let device = await Self.device(flavour) { request in
            request.path.hasSuffix("/contact-token")
                ? Self.answer(200, #"{"contactToken":"next"}"#) : Self.answer(401, #"{"error":{}}"#)
        }
        #expect(await device.track("viewed") == .dropped(418))
        let events = "POST /v4/apps/shop/client/events"
        let refresh = "POST /v3/apps/shop/client/contact-token"
        let lines = await device.exchanges.map(\.line)
        #expect(lines == [events, refresh, events, refresh, events, refresh, events])
        #expect(await device.store.pushToken == nil)
        #expect(await device.store.queue.count == 0)
    }

    @Test("WIRE-23: a 4xx drops the call", arguments: [400, 402, 403, 404, 410, 413, 415])
    func dropped(status: Int) async {
        let device = await Self.device(.ios) { _ in Self.answer(status, "{}") }
        #expect(await device.track("viewed") == .dropped(status))
        #expect(await device.store.queue.count == 0)
    }

    @Test(
        "WIRE-23: a temporary error keeps the call at the head, until the next occasion",
        arguments: [302, 408, 429, 500, 503])
    func kept(status: Int) async {
        let device = await Self.device(.android) { _ in Self.answer(status, "{}") }
        #expect(await device.setPushToken("other") == nil)
        #expect(await device.track("viewed") == nil)
        #expect(await device.store.queue.count == 2)
        let push = "PUT /v3/apps/shop/client/push-token"
        #expect(await device.exchanges.map(\.line) == [push, push])
    }

    @Test(
        "WIRE-20: state and tokens are read from any response; iOS only from a success", arguments: V3Flavour.allCases
    )
    func taken(flavour: V3Flavour) async {
        let device = await Self.device(flavour) { _ in
            Self.answer(400, #"{"contactToken":"other","refreshToken":"another"}"#, state: "newer")
        }
        await device.track("viewed")
        let store = await device.store
        #expect(store.clientState == "newer")
        #expect(store.contactToken == (flavour == .ios ? "first" : "other"))
        #expect(store.refreshToken == (flavour == .ios ? "refresh" : "another"))
    }

    @Test(
        "WIRE-6, WIRE-20, WIRE-23: responses with which a client would have problems are noticed",
        arguments: [
            (200, #"{"a":[{"b":null}]}"#), (200, #" {"a":1}"#), (200, "fine"), (302, ""), (400, ""), (500, "[]"),
            (200, #"{"deviceEventState":"x"}"#), (200, #"{"message":{"campaignId":"1","html":"<p>"}}"#),
            (200, #"{"onEventAction":{"actions":[]}}"#),
        ]
    )
    func stumbles(status: Int, body: String) async {
        let device = await Self.device(.ios) { _ in Self.answer(status, body) }
        await device.pauseInApp()
        await device.track("viewed")
        #expect(await device.complaints.count == 1)
    }

    @Test("WIRE-20, WIRE-22: a missing state, and a 401 where no token is needed, are noticed")
    func stumblesElsewhere() async {
        let stateless = await Self.device(.android) { _ in Self.answer(204, state: nil) }
        await stateless.track("viewed")
        #expect(await stateless.complaints.count == 1)
        let closed = await Self.device(.android) { _ in Self.answer(401, "{}") }
        await closed.setContact("user-4711")
        #expect(await closed.complaints.isEmpty == false)
    }

    @Test("WIRE-6: a response is the same however its bytes are split")
    func cuts() throws {
        let sized = "HTTP/1.1 200 OK\r\nContent-Length: 7\r\nX-A:  b \r\n\r\n{\"a\":1}"
        let chunked =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-A:  b \r\n\r\n3\r\n{\"a\r\n4\r\n\":1}\r\n0\r\n\r\n"
        for text in [sized, chunked] {
            let bytes = Array(text.utf8)
            for cut in 0..<bytes.count {
                var reader = ResponseReader()
                let early = try reader.take(Array(bytes[..<cut]))
                #expect(early == nil, "cut at \(cut)")
                let whole = try reader.take(Array(bytes[cut...]))
                let answer = try #require(whole, "cut at \(cut)")
                #expect(answer.status == 200 && answer.body == Array(#"{"a":1}"#.utf8), "cut at \(cut)")
                #expect(answer.header("x-a") == "b ", "cut at \(cut)")
            }
        }
        for text in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/2 200\r\n\r\n", "\(sized)x", "HTTP/1.1 204 No Content\r\n\r\nx"] {
            #expect(throws: WireError.self) {
                var reader = ResponseReader()
                _ = try reader.take(Array(text.utf8))
            }
        }
    }
}
