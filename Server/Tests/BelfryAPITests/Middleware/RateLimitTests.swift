import BelfryServices
import BelfryWire
import Foundation
import Hummingbird
import Testing

@Suite("Too many calls")
struct RateLimitTests {
    /// 20 calls of a device, 10 new devices and 40 calls of a key a minute; of the last, 20 at once.
    private static let few = RequestRates(perDevice: 20, limitsLoopback: true)

    private static func expectLimit(
        _ answer: APIResponse, _ limit: String, wait: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectError(
            answer, .tooManyRequests, "tooManyRequests", target: limit, sourceLocation: sourceLocation
        )
        #expect(answer.header("Retry-After") == wait, sourceLocation: sourceLocation)
    }

    @Test("SEC-2: a device that calls too often gets Retry-After, and its calls change nothing meanwhile")
    func devices() async throws {
        try await TestServer.run(rates: Self.few) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            for number in 0..<20 {
                #expect(try await device.track(EventTests.event("e\(number)")).status == .noContent)
            }
            let before = try await server.contents()
            for (method, path) in [(HTTPRequest.Method.post, "/client"), (.post, "/client/events"), (.get, "/x")] {
                let answer = try await device.call(method, path, "{}")
                if path == "/x" {
                    #expect(answer.status == .notFound)
                } else {
                    try Self.expectLimit(answer, "device", wait: "3")
                    #expect(answer.header("X-Client-State") == device.state)
                }
            }
            #expect(try await server.contents() == before)
            // Whatever version and spelling of the address: it is one device.
            let other = try await device.call(.post, "/client/events", "{}", version: "v4")
            try Self.expectLimit(other, "device", wait: "3")
            var another = TestDevice(server)
            #expect(try await another.call(.post, "/client", "{}").status == .noContent)
            server.clock.advance(by: 3)
            #expect(try await device.track(EventTests.event("later")).status == .noContent)
        }
    }

    @Test(
        "SEC-2, WIRE-29: events that a v3 client sends one by one have a burst of their own, and no other call has it")
    func backlog() async throws {
        // A hundredth of the standard rate: 6 calls a minute.
        try await TestServer.run(rates: RequestRates(perDevice: 6, limitsLoopback: true)) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            try await device.start()
            let v3 = ["X-EMARSYS-SDK-VERSION": "3.10.2"]
            func send(_ number: Int) async throws -> APIResponse {
                let body = #"{"events":[\#(EventTests.event("e\(number)"))]}"#
                return try await device.call(.post, "/client/events", body, headers: v3, version: "v4")
            }
            // And a hundredth of its 10,000.
            for number in 0..<100 { #expect(try await send(number).status == .noContent, "\(number)") }
            try Self.expectLimit(try await send(100), "device", wait: "10")
            // What it has used up there, its other calls have not.
            for _ in 0..<6 {
                #expect(try await device.call(.post, "/client", "{}", headers: v3).status == .noContent)
            }
            try Self.expectLimit(try await device.call(.post, "/client", "{}", headers: v3), "device", wait: "10")
            // Whoever shows nothing of the device has no backlog.
            var impostor = TestDevice(server)
            impostor.id = device.id
            var codes: Set<Int> = []
            for _ in 0..<60 {
                codes.insert(
                    try await impostor.call(.post, "/client/events", #"{"events":[]}"#, headers: v3).status.code)
            }
            #expect(codes == [401, 429])
        }
    }

    @Test("SEC-2, WIRE-24: a browser can read Retry-After")
    func browsers() async throws {
        try await TestServer.run(rates: RequestRates(perDevice: 1, limitsLoopback: false)) { server in
            try await server.makeApp()
            try await server.changeSettings { $0.allowedOrigins = ["https://shop.example"] }
            var device = TestDevice(server)
            for status in [204, 429] {
                let headers = ["Origin": "https://shop.example"]
                let answer = try await device.call(.post, "/client", "{}", headers: headers)
                #expect(answer.status.code == status)
                #expect(answer.header("Access-Control-Expose-Headers")?.contains("Retry-After") == true)
            }
            // A preflight request does not count as a call of the device.
            let asking = ["Origin": "https://shop.example", "Access-Control-Request-Method": "POST"]
            #expect(try await server.call(.options, "/v3/apps/shop/client", headers: asking).status == .noContent)
        }
    }

    @Test("SEC-2: the number of an address's new devices a minute is limited, by properties or by a link")
    func newDevices() async throws {
        try await TestServer.run(rates: Self.few) { server in
            try await server.makeApp()
            var known = TestDevice(server)
            try await known.start()
            for number in 1..<10 {
                var device = TestDevice(server)
                let path = number.isMultiple(of: 2) ? "/client" : "/client/contact?anonymous"
                let answer = try await device.call(.post, path, "{}")
                #expect(answer.status.kind == .successful)
            }
            let before = try await server.contents()
            let link = #"{"contactFieldId":3,"contactFieldValue":"anna"}"#
            for (path, body) in [("", "{}"), ("/contact?anonymous", "{}"), ("/contact", link)] {
                var device = TestDevice(server)
                try Self.expectLimit(try await device.call(.post, "/client\(path)", body), "newDevices", wait: "6")
                #expect(device.state == nil)
            }
            #expect(try await server.contents() == before)
            #expect(try await known.track(EventTests.event("e1")).status == .noContent)
            server.clock.advance(by: 6)
            var late = TestDevice(server)
            #expect(try await late.call(.post, "/client", "{}").status == .noContent)
        }
    }

    @Test("SEC-2: behind a trusted proxy the client's address counts; loopback has no limit")
    func proxies() async throws {
        let rates = RequestRates(perDevice: 20, limitsLoopback: false)
        let proxies = try #require(TrustedProxies("127.0.0.0/8"))
        try await TestServer.run(rates: rates, proxies: proxies) { server in
            try await server.makeApp()
            func register(_ forwardedFor: String) async throws -> Int {
                var device = TestDevice(server)
                let headers = ["X-Forwarded-For": forwardedFor]
                return try await device.call(.post, "/client", "{}", headers: headers).status.code
            }
            for _ in 0..<10 { #expect(try await register("198.51.100.1, 203.0.113.5") == 204) }
            // Addresses that the client itself prepends change nothing.
            #expect(try await register("203.0.113.5") == 429)
            #expect(try await register("198.51.100.99, 203.0.113.5") == 429)
            #expect(try await register("203.0.113.5, 198.51.100.1") == 204)
            for _ in 0..<30 { #expect(try await register("") == 204) }
        }
    }

    @Test("SEC-2: without a trusted proxy the header does not count")
    func untrusted() async throws {
        try await TestServer.run(rates: Self.few) { server in
            try await server.makeApp()
            var codes: [Int] = []
            for number in 0..<11 {
                var device = TestDevice(server)
                let headers = ["X-Forwarded-For": "203.0.113.\(number)"]
                codes.append(try await device.call(.post, "/client", "{}", headers: headers).status.code)
            }
            #expect(codes == Array(repeating: 204, count: 10) + [429])
        }
    }

    @Test("SEC-2: an admin key that is used too often is refused alone")
    func keys() async throws {
        try await TestServer.run(rates: Self.few) { server in
            let own = try await server.makeApp()
            for _ in 1..<20 { #expect(try await server.admin(.get, "/apps").status == .ok) }
            let before = try await server.contents()
            let body = #"{"code":"b","name":"B"}"#
            try Self.expectLimit(try await server.admin(.post, "/apps", body), "adminKey", wait: "2")
            #expect(try await server.contents() == before)
            #expect(try await server.admin(.get, "/apps", key: own).status == .ok)
            // A key that is none costs nobody's calls.
            #expect(try await server.admin(.get, "/apps", key: "unknown").status == .unauthorized)
            server.clock.advance(by: 2)
            #expect(try await server.admin(.post, "/apps", body).status == .created)
        }
    }

    @Test("SEC-2: health has no limit, and rejected calls are counted")
    func health() async throws {
        try await TestServer.run(rates: RequestRates(perDevice: 1, limitsLoopback: true)) { server in
            try await server.makeApp()
            var device = TestDevice(server)
            // Two are its address's, which is all that they show.
            for _ in 0..<5 { try await device.call(.post, "/client", "{}") }
            for _ in 0..<200 { #expect(try await server.call(.get, "/healthz").status == .ok) }
            let metrics = try await server.call(.get, "/metrics").text
            #expect(metrics.contains("# TYPE belfry_requests_limited_total counter"))
            #expect(metrics.contains(#"belfry_requests_limited_total{limit="strangers"} 3"#))
        }
    }
}
