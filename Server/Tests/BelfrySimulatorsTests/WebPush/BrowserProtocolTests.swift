import AsyncHTTPClient
import BelfrySimulators
import BelfryTestSupport
import Foundation
import NIOCore
import Testing

/// Mozilla's push protocol, as a browser sees it.
struct BrowserProtocolTests {
    private static let channel = "b8c5f9d0-4a3e-4a55-9c36-0a2f6a8a1a01"

    private static func run(_ story: (WebPushSimulation, Int) async throws -> Void) async throws {
        var configuration = WebPushSimulator.Configuration()
        configuration.browserPort = 0
        try await WebPushSimulation.run(configuration) { simulation in
            try await story(simulation, try #require(simulation.addresses.browserPort))
        }
    }

    /// The key as Firefox writes it, padded.
    private static func key(_ simulation: WebPushSimulation) -> String {
        let key = simulation.server.applicationServerKey
        return key + String(repeating: "=", count: (4 - key.utf8.count % 4) % 4)
    }

    /// A body that could be one of `aes128gcm`; only the browser itself could tell.
    private static func body(_ byte: UInt8) -> [UInt8] { [UInt8](repeating: byte, count: 120) }

    private static func post(
        _ simulation: WebPushSimulation, _ endpoint: String, _ byte: UInt8, fields: [String: String?] = [:]
    ) async throws -> ReceivedResponse {
        let subscription = WebPushSimulator.Subscription(id: "", endpoint: endpoint, p256dh: "", auth: "")
        return try await simulation.post(Self.body(byte), to: subscription, fields: fields)
    }

    @Test("WEB-7: a browser says hello, subscribes and gets what was sent as it was encrypted")
    func story() async throws {
        try await Self.run { simulation, port in
            try await PushBrowser.connect(to: port) { browser in
                #expect(browser.subprotocol == "push-notification")
                _ = try await browser.hello()
                #expect(simulation.simulator.statistics.browsers == 1)
                let answer = try await browser.register(Self.channel, key: Self.key(simulation))
                #expect(answer.status == 200)
                let endpoint = try #require(answer.pushEndpoint)
                #expect(endpoint.hasPrefix(simulation.addresses.origin + "/"))
                #expect(try await Self.post(simulation, endpoint, 1).status == 201)
                let push = try #require(try await browser.hear())
                #expect(push.messageType == "notification" && push.channelID == Self.channel)
                #expect(push.data == base64URL(Self.body(1)) && push.headers == ["encoding": "aes128gcm"])
                try await browser.acknowledge(push)
                // One that came while the first was open comes after it.
                #expect(try await Self.post(simulation, endpoint, 2).status == 201)
                #expect(try await browser.hear()?.data == base64URL(Self.body(2)))
                // The key counts as for any subscription.
                let other = try simulation.authorization(TestApplicationServer(byte: 2))
                let rejected = try await Self.post(simulation, endpoint, 3, fields: ["authorization": other])
                #expect(rejected.status == 403 && rejected.reason == "VapidPkHashMismatch")
            }
        }
    }

    @Test("WEB-7: a push without a body has no data, and pings and broadcasts are what they are")
    func small() async throws {
        try await Self.run { simulation, port in
            try await PushBrowser.connect(to: port) { browser in
                _ = try await browser.hello()
                let endpoint = try #require(try await browser.register(Self.channel, key: nil).pushEndpoint)
                let empty = try await simulation.client.call("POST", endpoint, fields: ["ttl": "60"])
                #expect(empty.status == 201)
                let push = try #require(try await browser.hear())
                #expect(push.channelID == Self.channel && push.data == nil && push.headers == nil)
                try await browser.acknowledge(push, code: 101)
                try await browser.say(#"{"messageType":"broadcast_subscribe","broadcasts":{"a/b":"1"}}"#)
                try await browser.say(#"{"messageType":"nack","version":"x","code":301}"#)
                try await browser.say("{}")
                #expect(try await browser.hear() == PushBrowser.Message())
            }
        }
    }

    @Test("WEB-7: what a browser has not acknowledged comes again, and what it has does not")
    func acknowledged() async throws {
        try await Self.run { simulation, port in
            var (name, endpoint, open) = ("", "", "")
            try await PushBrowser.connect(to: port) { browser in
                name = try await browser.hello()
                endpoint = try #require(
                    try await browser.register(Self.channel, key: Self.key(simulation)).pushEndpoint)
                _ = try await Self.post(simulation, endpoint, 1)
                try await browser.acknowledge(try #require(try await browser.hear()))
                _ = try await Self.post(simulation, endpoint, 2)
                open = try #require(try await browser.hear()?.version)
            }
            try await PushBrowser.connect(to: port) { browser in
                #expect(try await browser.hello(as: name) == name)
                let again = try #require(try await browser.hear())
                #expect(again.version == open && again.data == base64URL(Self.body(2)))
                try await browser.acknowledge(again)
                _ = try await Self.post(simulation, endpoint, 3)
                #expect(try await browser.hear()?.data == base64URL(Self.body(3)))
            }
        }
    }

    @Test("WEB-7: pushes wait for a browser that is away, as long as their TTL says")
    func away() async throws {
        try await Self.run { simulation, port in
            var (name, endpoint) = ("", "")
            try await PushBrowser.connect(to: port) { browser in
                name = try await browser.hello()
                endpoint = try #require(
                    try await browser.register(Self.channel, key: Self.key(simulation)).pushEndpoint)
            }
            while simulation.simulator.statistics.browsers > 0 { await Task.yield() }
            for (byte, ttl) in [(UInt8(1), "0"), (2, "30"), (3, "600")] {
                #expect(try await Self.post(simulation, endpoint, byte, fields: ["ttl": ttl]).status == 201)
            }
            simulation.clock.advance(by: 60)
            try await PushBrowser.connect(to: port) { browser in
                _ = try await browser.hello(as: name)
                #expect(try await browser.hear()?.data == base64URL(Self.body(3)))
            }
        }
    }

    @Test("WEB-7: to whom the browser unsubscribed, 410 is said, and another subscription goes on")
    func unregister() async throws {
        try await Self.run { simulation, port in
            try await PushBrowser.connect(to: port) { browser in
                _ = try await browser.hello()
                var endpoints: [String] = []
                for channel in ["one", "two"] {
                    let answer = try await browser.register(channel, key: Self.key(simulation))
                    endpoints.append(try #require(answer.pushEndpoint))
                }
                try await browser.say(#"{"messageType":"unregister","channelID":"one","code":200}"#)
                let answer = try #require(try await browser.hear())
                #expect(answer.messageType == "unregister" && answer.channelID == "one" && answer.status == 200)
                let gone = try await Self.post(simulation, endpoints[0], 1)
                #expect(gone.status == 410 && gone.reason == "Unsubscribed")
                #expect(try await Self.post(simulation, endpoints[1], 2).status == 201)
                #expect(try await browser.hear()?.channelID == "two")
            }
        }
    }

    @Test("WEB-7: a name that the service does not know is replaced, and a second connection ends the first")
    func names() async throws {
        try await Self.run { simulation, port in
            try await PushBrowser.connect(to: port) { first in
                let name = try await first.hello(as: "0123456789abcdef0123456789abcdef")
                #expect(name != "0123456789abcdef0123456789abcdef")
                let endpoint = try #require(try await first.register("one", key: Self.key(simulation)).pushEndpoint)
                try await PushBrowser.connect(to: port) { second in
                    #expect(try await second.hello(as: name) == name)
                    #expect(try await first.hear() == nil)
                    _ = try await Self.post(simulation, endpoint, 1)
                    #expect(try await second.hear()?.channelID == "one")
                }
            }
        }
    }

    @Test("WEB-7: what cannot be a subscription is refused, and the connection goes on")
    func rejections() async throws {
        try await Self.run { simulation, port in
            let key = Self.key(simulation)
            let other = try TestApplicationServer(byte: 2).applicationServerKey
            try await PushBrowser.connect(to: port) { browser in
                _ = try await browser.hello()
                #expect(try await browser.register("one", key: "AAAA").status == 400)
                let made = try await browser.register("one", key: key)
                #expect(try await browser.register("one", key: key).pushEndpoint == made.pushEndpoint)
                #expect(try await browser.register("one", key: other).status == 409)
                for number in 2...100 {
                    #expect(try await browser.register("c\(number)", key: key).status == 200)
                }
                #expect(try await browser.register("c101", key: key).status == 503)
                #expect(simulation.simulator.statistics.subscriptions == 100)
            }
        }
    }

    @Test(
        "WEB-7: whoever does not speak the protocol is cut off",
        arguments: [
            [#"{"messageType":"register","channelID":"one"}"#], ["hello"], ["[]"], ["{}"],
            [#"{"messageType":"hello"}"#, #"{"messageType":"hello"}"#],
            [#"{"messageType":"hello"}"#, #"{"channelID":"one"}"#],
            [#"{"messageType":"hello"}"#, #"{"messageType":"register"}"#],
            [#"{"messageType":"hello"}"#, #"{"messageType":"ack"}"#],
            [#"{"messageType":"hello"}"#, #"{"messageType":7}"#],
        ]
    )
    func otherProtocols(_ messages: [String]) async throws {
        try await Self.run { _, port in
            try await PushBrowser.connect(to: port) { browser in
                for message in messages { try await browser.say(message) }
                for _ in messages.dropLast() { #expect(try await browser.hear()?.messageType == "hello") }
                #expect(try await browser.hear() == nil)
            }
        }
    }

    @Test("WEB-7: a message has a limit, bytes are none, and a WebSocket's own ping is answered")
    func frames() async throws {
        try await Self.run { simulation, port in
            try await PushBrowser.connect(to: port) { browser in
                try await browser.write(.binary, ByteBuffer(string: "{}"))
                #expect(try await browser.hear() == nil)
            }
            try await PushBrowser.connect(to: port) { browser in
                try await browser.write(.ping, ByteBuffer(string: "x"))
                let spaces = String(repeating: " ", count: 65_536)
                // The service may be gone before all of it is written, or read.
                try? await browser.say("{\(spaces)}")
                let heard = (try? await browser.hear()) ?? nil
                #expect(heard == nil)
            }
            let answer = try await simulation.client.call("GET", "http://127.0.0.1:\(port)/")
            #expect(answer.status == 426 && answer.fields["upgrade"] == "websocket")
        }
    }

    @Test("WEB-7: a page of another site, and a foreign name that leads here, get no WebSocket")
    func otherSites() async throws {
        try await Self.run { simulation, port in
            let upgrade: [String: String?] = [
                "upgrade": "websocket", "connection": "upgrade", "sec-websocket-version": "13",
                "sec-websocket-key": "AvyL1NNmVyDDLw7w6Vp0EA==",
            ]
            for fields: [String: String?] in [
                ["origin": "http://evil.example"], ["host": "evil.example"], ["sec-fetch-site": "cross-site"],
            ] {
                let all = upgrade.merging(fields) { _, new in new }
                let answer = try await simulation.client.call("GET", "http://127.0.0.1:\(port)/", fields: all)
                #expect(answer.status == 403 && answer.fields["upgrade"] == nil, "\(fields)")
            }
            let fields = ["origin": "ws://127.0.0.1:\(port)/", "host": "127.0.0.1:\(port)"]
            try await PushBrowser.connect(to: port, fields: fields) { browser in
                _ = try await browser.hello()
            }
        }
    }

    @Test("WEB-7: a simulator has no port for browsers unless it is asked for one")
    func none() async throws {
        try await WebPushSimulation.run { simulation in
            #expect(simulation.addresses.browserPort == nil && simulation.addresses.browserURL == nil)
        }
    }
}
