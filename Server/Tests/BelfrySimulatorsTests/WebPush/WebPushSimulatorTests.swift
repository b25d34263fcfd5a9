import BelfrySimulators
import Foundation
import Testing

@Suite("Web push simulator over TLS")
struct WebPushSimulatorTests {
    @Test("PUSH-3: a push is accepted with its location, and the browser decrypts it")
    func accept() async throws {
        try await WebPushSimulation.run { simulation in
            let subscription = try simulation.subscribe()
            #expect(subscription.endpoint.hasPrefix(simulation.addresses.origin + "/"))
            var browser = try simulation.simulator.pushes(for: subscription.id).makeAsyncIterator()
            let text = #"{"title":"Hello","belfry":{"sid":"m1"}}"#
            let response = try await simulation.push(
                to: subscription, text, fields: ["topic": "news", "urgency": "high", "ttl": "9999999999"]
            )
            #expect(response.status == 201)
            #expect(response.isHTTP2)
            #expect(response.fields["ttl"] == "2419200")
            let arrived = await browser.next()
            let push = try #require(arrived)
            #expect(response.fields["location"] == "\(simulation.addresses.origin)/message/\(push.id)")
            #expect(push.payload == .message(Array(text.utf8)))
            #expect(push.messageID == "m1")
            #expect(push.topic == "news")
            #expect(push.urgency == .high)
            #expect(push.acceptedAt == simulation.clock.now)
        }
    }

    @Test("PUSH-3: a push without a body wakes the web app")
    func empty() async throws {
        try await WebPushSimulation.run { simulation in
            let subscription = try simulation.subscribe()
            let response = try await simulation.post([], to: subscription, fields: ["content-encoding": nil])
            #expect(response.status == 201)
            var browser = try simulation.simulator.pushes(for: subscription.id).makeAsyncIterator()
            let push = await browser.next()
            #expect(push?.payload == WebPushSimulator.Payload.none)
        }
    }

    @Test("PUSH-21: an error of the sender's VAPID token is a credential error")
    func credentials() async throws {
        try await WebPushSimulation.run { simulation in
            let subscription = try simulation.subscribe()
            let server = simulation.server
            let origin = simulation.addresses.origin
            let soon = simulation.clock.now.addingTimeInterval(60)
            let otherServer = try TestApplicationServer(byte: 2)
            let expected: [(String?, Int, String)] = [
                (nil, 401, "MissingAuthorization"),
                ("Bearer x", 401, "MissingAuthorization"),
                ("vapid t=x, k=y", 403, "BadJwtToken"),
                (try server.authorization(audience: origin, expiresAt: soon, algorithm: "none"), 403, "BadJwtToken"),
                (
                    try server.authorization(audience: origin, expiresAt: soon, key: otherServer.applicationServerKey),
                    403, "BadJwtToken"
                ),
                (try server.authorization(audience: origin + "/", expiresAt: soon), 403, "BadJwtAudience"),
                (try server.authorization(audience: origin, expiresAt: soon, subject: "ops"), 403, "BadJwtSubject"),
                (try simulation.authorization(life: 86_460), 403, "ExpiredJwtToken"),
                (try simulation.authorization(life: -1), 403, "ExpiredJwtToken"),
                (try simulation.authorization(otherServer), 403, "VapidPkHashMismatch"),
            ]
            for (authorization, status, reason) in expected {
                let response = try await simulation.push(to: subscription, fields: ["authorization": authorization])
                #expect(response.status == status, "\(reason)")
                #expect(response.reason == reason)
            }
            let good = try await simulation.push(
                to: subscription, fields: ["authorization": simulation.authorization()])
            #expect(good.status == 201)
        }
    }

    @Test("PUSH-3: a VAPID token needs no contact, and may be for several origins")
    func leanTokens() async throws {
        try await WebPushSimulation.run { simulation in
            let subscription = try simulation.subscribe()
            let (server, origin) = (simulation.server, simulation.addresses.origin)
            let soon = simulation.clock.now.addingTimeInterval(60)
            let other = "https://push.example.org"
            let good = [
                try server.authorization(audience: origin, expiresAt: soon, subject: nil),
                try server.authorization(audience: other, furtherAudiences: [origin], expiresAt: soon),
            ]
            for authorization in good {
                let response = try await simulation.push(to: subscription, fields: ["authorization": authorization])
                #expect(response.status == 201)
            }
            let elsewhere = try server.authorization(
                audience: other, furtherAudiences: ["https://example.net"], expiresAt: soon
            )
            let rejected = try await simulation.push(to: subscription, fields: ["authorization": elsewhere])
            #expect(rejected.status == 403 && rejected.reason == "BadJwtAudience")
        }
    }

    @Test("PUSH-4: quotas of senders and subscriptions can be set while the simulator runs")
    func quotasAtRunTime() async throws {
        try await WebPushSimulation.run { simulation in
            let subscription = try simulation.subscribe()
            simulation.simulator.setQuotas(sender: SimulatorQuota(requests: 1, interval: 60), subscription: nil)
            #expect(try await simulation.push(to: subscription).status == 201)
            #expect(try await simulation.push(to: subscription).status == 429)
            simulation.simulator.setQuotas(sender: nil, subscription: SimulatorQuota(requests: 1, interval: 60))
            #expect(try await simulation.push(to: subscription).status == 201)
            #expect(try await simulation.push(to: subscription).status == 429)
            simulation.simulator.setQuotas(sender: nil, subscription: nil)
            #expect(try await simulation.push(to: subscription).status == 201)
        }
    }

    @Test("PUSH-3: a valid VAPID token is refused once it has expired")
    func expiry() async throws {
        try await WebPushSimulation.run { simulation in
            let subscription = try simulation.subscribe()
            let authorization = try simulation.authorization(life: 60)
            let first = try await simulation.push(to: subscription, fields: ["authorization": authorization])
            #expect(first.status == 201)
            simulation.clock.advance(by: 61)
            let second = try await simulation.push(to: subscription, fields: ["authorization": authorization])
            #expect(second.reason == "ExpiredJwtToken")
        }
    }

    @Test("PUSH-21: an error in a field or the body is reported, and nothing is accepted")
    func fields() async throws {
        try await WebPushSimulation.run { simulation in
            let subscription = try simulation.subscribe()
            let expected: [([String: String?], String)] = [
                (["ttl": nil], "BadTtl"), (["ttl": "soon"], "BadTtl"), (["ttl": "-1"], "BadTtl"),
                (["topic": String(repeating: "t", count: 33)], "BadWebPushTopic"),
                (["topic": "a b"], "BadWebPushTopic"),
                (["urgency": "urgent"], "BadUrgency"), (["content-encoding": nil], "BadContentEncoding"),
                (["content-encoding": "aesgcm"], "BadContentEncoding"),
            ]
            for (fields, reason) in expected {
                let response = try await simulation.push(to: subscription, fields: fields)
                #expect(response.status == 400, "\(fields)")
                #expect(response.reason == reason, "\(fields)")
            }
            let short = try await simulation.post([UInt8](repeating: 1, count: 102), to: subscription)
            #expect(short.reason == "BadWebPushRequest")
            let large = try await simulation.push(to: subscription, String(repeating: "x", count: 3_994))
            #expect(large.status == 413)
            let fits = try await simulation.push(to: subscription, String(repeating: "x", count: 3_993))
            #expect(fits.status == 201)
            #expect(try simulation.simulator.acceptedCount(of: subscription.id) == 1)
        }
    }

    @Test("PUSH-3: a subscription that ended is 410, one that expired or never was is 404")
    func ended() async throws {
        try await WebPushSimulation.run { simulation in
            let subscription = try simulation.subscribe()
            try simulation.simulator.setState(of: subscription.id, to: .unsubscribed)
            let gone = try await simulation.push(to: subscription)
            #expect(gone.status == 410)
            try simulation.simulator.setState(of: subscription.id, to: .expired)
            let expired = try await simulation.push(to: subscription)
            #expect(expired.status == 404)
            try simulation.simulator.setState(of: subscription.id, to: .valid)
            let back = try await simulation.push(to: subscription)
            #expect(back.status == 201)
            let fields: [String: String?] = ["authorization": try simulation.authorization(), "ttl": "1"]
            for path in ["/push/" + String(repeating: "A", count: 43), "/push/x", "/other"] {
                let unknown = try await simulation.client.call(
                    "POST", simulation.addresses.origin + path, fields: fields
                )
                #expect(unknown.status == 404, "\(path)")
            }
            let get = try await simulation.client.call("GET", subscription.endpoint, fields: fields)
            #expect(get.status == 405)
        }
    }

    @Test("PUSH-5: a browser that was offline gets one push for each topic, and none with a TTL of 0")
    func storedWhileAway() async throws {
        try await WebPushSimulation.run { simulation in
            let subscription = try simulation.subscribe()
            for (topic, text, ttl) in [("a", "1", "60"), ("b", "2", "10"), ("a", "3", "60"), ("c", "4", "0")] {
                let response = try await simulation.push(to: subscription, text, fields: ["topic": topic, "ttl": ttl])
                #expect(response.status == 201)
            }
            simulation.clock.advance(by: 11)
            var browser = try simulation.simulator.pushes(for: subscription.id).makeAsyncIterator()
            let arrived = await browser.next()
            #expect(arrived?.payload == .message(Array("3".utf8)))
            let statistics = simulation.simulator.statistics
            #expect(statistics.delivered == 1)
            #expect(statistics.replaced == 1)
            #expect(statistics.discarded == 1)
        }
    }

    @Test("PUSH-4: a key or subscription that sends too much gets 429 and the seconds until there is room")
    func quotas() async throws {
        var configuration = WebPushSimulator.Configuration()
        configuration.senderQuota = SimulatorQuota(requests: 3, interval: 60)
        configuration.subscriptionQuota = SimulatorQuota(requests: 1, interval: 30)
        try await WebPushSimulation.run(configuration) { simulation in
            let first = try simulation.subscribe()
            let second = try simulation.subscribe()
            var answers: [ReceivedResponse] = []
            for subscription in [first, first, second, second] {
                answers.append(try await simulation.push(to: subscription))
            }
            #expect(answers.map(\.status) == [201, 429, 201, 429])
            #expect(answers.map { $0.fields["retry-after"] } == [nil, "30", nil, "60"])
            let other = try TestApplicationServer(byte: 2)
            let third = try simulation.simulator.subscribe(applicationServerKey: other.applicationServerKey)
            let fields: [String: String?] = ["authorization": try simulation.authorization(other)]
            let free = try await simulation.push(to: third, fields: fields)
            #expect(free.status == 201)
        }
    }

    static let rejections: [(FaultPlan.Fault, Int, String?)] = [
        (.tooManyRequests, 429, "5"), (.internalServerError, 500, nil), (.serviceUnavailable, 503, "5"),
        (.shutdown, 503, "5"),
    ]

    @Test("PUSH-4: an injected fault refuses, and nothing is accepted", arguments: rejections)
    func rejection(_ fault: FaultPlan.Fault, _ status: Int, _ retryAfter: String?) async throws {
        try await WebPushSimulation.run { simulation in
            simulation.simulator.setFaults(try FaultPlan(seed: 1, rates: [fault: 1], retryAfter: 5))
            let subscription = try simulation.subscribe()
            let response = try await simulation.push(to: subscription)
            #expect(response.status == status)
            #expect(response.fields["retry-after"] == retryAfter)
            #expect(try simulation.simulator.acceptedCount(of: subscription.id) == 0)
        }
    }

    @Test("PUSH-5: a repeat is recognised by the sender's own id, which only the browser can read")
    func repeats() async throws {
        try await WebPushSimulation.run { simulation in
            let subscription = try simulation.subscribe()
            for id in ["one", "one", "two"] {
                _ = try await simulation.push(to: subscription, #"{"belfry":{"sid":"\#(id)"}}"#)
            }
            #expect(simulation.simulator.acceptedCounts() == [subscription.id: ["one": 2, "two": 1]])
        }
    }

    @Test("PUSH-3: a subscription needs a key of P-256 and a simulator that listens")
    func subscribing() async throws {
        try await WebPushSimulation.run { simulation in
            for key in ["", "AAAA", "not a key", simulation.server.applicationServerKey + "AA"] {
                #expect(throws: SimulatorError.self) { try simulation.simulator.subscribe(applicationServerKey: key) }
            }
            let open = try simulation.simulator.subscribe(applicationServerKey: nil)
            let anybody = try await simulation.push(to: open, fields: ["authorization": nil])
            #expect(anybody.status == 201)
            await simulation.simulator.shutdown()
            #expect(throws: SimulatorError.self) { try simulation.subscribe() }
        }
    }
}
