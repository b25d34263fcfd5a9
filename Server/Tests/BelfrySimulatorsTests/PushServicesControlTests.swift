import AsyncHTTPClient
import BelfrySimulators
import Foundation
import Logging
import NIOPosix
import ServiceLifecycle
import Testing

@Suite("Control API of all push services")
struct PushServicesControlTests {
    @Test("CLI-3: a sender and a device of FCM in other processes work together over HTTP")
    func fcm() async throws {
        try await FCMSimulation.run { simulation in
            try await ServicesControl.run(fcm: simulation.simulator, simulation.client) { control in
                let file = try await control.call("POST", "/fcm/service-accounts", #"{"projectId":"another"}"#)
                #expect(file.status == 201)
                #expect(try file.json([String: String].self)["token_uri"] == simulation.addresses.tokenURI)
                let issued = try await control.call("POST", "/fcm/tokens", #"{"projectId":"example"}"#)
                let token = try #require(try issued.json([String: String].self)["token"])
                async let waiting = control.call("GET", "/fcm/tokens/\(token)/notifications?after=0&wait=30")
                let sent = try await simulation.send(to: token, #""data":{"a":"b"}"#)
                let messages = try await waiting.json([Message].self)
                #expect(messages.map(\.data) == [["a": "b"]])
                #expect(messages.first?.name == (try sent.json([String: String].self)["name"]))
                let quota = #"{"device":{"requests":1,"intervalSeconds":60}}"#
                #expect(try await control.call("PUT", "/fcm/quotas", quota).status == 204)
                let made = try await control.call("POST", "/fcm/installations", #"{"projectId":"example"}"#)
                let id = try #require(try made.json([String: String].self)["fid"])
                #expect(try await simulation.send(toInstallation: id).status == 200)
                #expect(try await simulation.send(toInstallation: id).status == 429)
                #expect(try await control.call("PUT", "/fcm/quotas", "{}").status == 204)
                let own = try await control.call("GET", "/fcm/tokens/\(id)/notifications").json([Message].self)
                #expect(own.count == 1)
                let state = try await control.call("PUT", "/fcm/tokens/\(token)", #"{"state":"unregistered"}"#)
                #expect(state.status == 204)
                let gone = try await simulation.send(to: token)
                #expect(gone.status == 404)
                let errors = try await control.call("PUT", "/fcm/faults", #"{"rates":{"internalServerError":1}}"#)
                #expect(errors.status == 204)
                let failed = try await simulation.send(to: token)
                #expect(failed.status == 500)
                let statistics = try await control.call("GET", "/fcm/statistics").json(FCMSimulator.Statistics.self)
                #expect(statistics.refused == ["UNREGISTERED": 1, "INTERNAL": 1, "QUOTA_EXCEEDED": 1])
                #expect(statistics.accessTokens == 1)
                let revoked = try await control.call("DELETE", "/fcm/access-tokens")
                #expect(revoked.status == 204)
                let response = try await simulation.send(to: token)
                #expect(response.status == 401)
                let root = try await control.call("GET", "/fcm/trust-root")
                #expect(root.body == simulation.simulator.trustRootPEM)
                let apns = try await control.call("GET", "/statistics")
                #expect(apns.status == 404)
            }
        }
    }

    @Test("CLI-3: a browser in another process gets its subscription and its pushes over HTTP")
    func webPush() async throws {
        try await WebPushSimulation.run { simulation in
            try await ServicesControl.run(webPush: simulation.simulator, simulation.client) { control in
                let key = simulation.server.applicationServerKey
                let made = try await control.call(
                    "POST", "/webpush/subscriptions", #"{"applicationServerKey":"\#(key)"}"#
                )
                #expect(made.status == 201)
                let response = try made.json(SubscriptionResponse.self)
                let subscription = WebPushSimulator.Subscription(
                    id: response.id, endpoint: response.endpoint, p256dh: response.keys.p256dh, auth: response.keys.auth
                )
                let sent = try await simulation.push(to: subscription, "hello")
                #expect(sent.status == 201)
                let path = "/webpush/subscriptions/\(response.id)"
                let pushes = try await control.call("GET", path + "/notifications").json([Push].self)
                #expect(pushes.map(\.payload) == ["hello"])
                let acknowledged = try await control.call("GET", path + "/notifications?after=1").json([Push].self)
                #expect(acknowledged.isEmpty)
                let state = try await control.call("PUT", path, #"{"state":"unsubscribed"}"#)
                #expect(state.status == 204)
                let gone = try await simulation.push(to: subscription)
                #expect(gone.status == 410)
                let statistics = try await control.call("GET", "/webpush/statistics")
                #expect(try statistics.json(WebPushSimulator.Statistics.self).subscriptions == 1)
            }
        }
    }

    @Test("CLI-3: bad input gets an error that names the field")
    func badInput() async throws {
        try await FCMSimulation.run { simulation in
            try await ServicesControl.run(fcm: simulation.simulator, simulation.client) { control in
                let calls: [(String, String, String, Int, String)] = [
                    ("POST", "/fcm/service-accounts", #"{"projectId":"a b"}"#, 400, "projectId"),
                    ("POST", "/fcm/service-accounts", #"{"projectId":"a","publicKey":"x"}"#, 400, "clientEmail"),
                    (
                        "POST", "/fcm/service-accounts",
                        #"{"projectId":"a","clientEmail":"b","privateKeyId":"c","publicKey":"x"}"#, 400, "publicKey"
                    ),
                    ("POST", "/fcm/tokens", "{}", 400, "projectId"),
                    ("PUT", "/fcm/tokens/x", #"{"state":"valid"}"#, 404, "token"),
                    ("PUT", "/fcm/tokens/x", #"{"state":"lost"}"#, 400, "state"),
                    ("PUT", "/fcm/quotas", #"{"nix":1}"#, 400, "nix"),
                    ("PUT", "/fcm/quotas", #"{"project":{"request":1}}"#, 400, "project.request"),
                    ("PUT", "/fcm/faults", #"{"seeds":1}"#, 400, "seeds"),
                    ("POST", "/fcm/service-accounts", #"{"projectId":"a","email":"b"}"#, 400, "email"),
                    ("PUT", "/fcm/token-faults", #"{"latencyMilliseconds":-1}"#, 400, "latencyMilliseconds"),
                    ("PUT", "/fcm/faults", #"{"retryAfterSeconds":-1}"#, 400, "retryAfterSeconds"),
                    ("POST", "/fcm/installations", #"{"projectId":""}"#, 400, "projectId"),
                    (
                        "PUT", "/fcm/quotas", #"{"project":{"requests":0,"intervalSeconds":1}}"#, 400,
                        "project.requests"
                    ),
                    (
                        "PUT", "/fcm/quotas", #"{"device":{"requests":1,"intervalSeconds":0}}"#, 400,
                        "device.intervalSeconds"
                    ),
                ]
                for (method, path, body, status, field) in calls {
                    let response = try await control.call(method, path, body)
                    #expect(response.status == status, "\(method) \(path) \(body)")
                    let error = try response.json([String: Control.Response.Fault].self)["error"]
                    #expect(error?.field == field, "\(method) \(path) \(body)")
                }
            }
        }
    }

    private struct Message: Decodable {
        var name: String
        var data: [String: String]
    }

    @Test("CLI-3: another site's page, and a foreign name that leads here, get 403 and change nothing")
    func otherSites() async throws {
        try await FCMSimulation.run { simulation in
            try await ServicesControl.run(fcm: simulation.simulator, simulation.client) { control in
                let fault = #"{"rates":{"internalServerError":1}}"#
                for fields: [String: String?] in [
                    ["origin": "http://evil.example"], ["origin": "null"], ["host": "evil.example:\(control.port)"],
                    ["sec-fetch-site": "cross-site"],
                ] {
                    let rejected = try await control.call("PUT", "/fcm/faults", fault, fields: fields)
                    #expect(rejected.status == 403 && rejected.body.contains("\"field\""), "\(fields)")
                    let read = try await control.call("GET", "/fcm/statistics", fields: fields)
                    #expect(read.status == 403, "\(fields)")
                }
                let token = try await control.call("POST", "/fcm/tokens", #"{"projectId":"example"}"#)
                let sent = try await simulation.send(to: try token.json([String: String].self)["token"] ?? "")
                #expect(sent.status == 200)
                let own: [String: String?] = [
                    "origin": "http://127.0.0.1:\(control.port)", "sec-fetch-site": "same-origin",
                ]
                #expect(try await control.call("GET", "/fcm/statistics", fields: own).status == 200)
            }
        }
    }

    private struct Push: Decodable {
        var payload: String?
    }

    private struct SubscriptionResponse: Decodable {
        struct Keys: Decodable {
            var p256dh: String
            var auth: String
        }

        var id: String
        var endpoint: String
        var keys: Keys
    }
}

/// A control API that runs for a story.
struct ServicesControl {
    let client: HTTPClient
    let port: Int

    static func run(
        fcm: FCMSimulator? = nil,
        webPush: WebPushSimulator? = nil,
        _ client: HTTPClient,
        _ story: (ServicesControl) async throws -> Void
    ) async throws {
        let (ports, found) = AsyncStream.makeStream(of: Int.self)
        let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let server = PushServicesControlServer(
            fcm: fcm, webPush: webPush, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: logger
        ) { found.yield($0) }
        let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                defer { found.finish() }
                try await group.run()
            }
            var iterator = ports.makeAsyncIterator()
            let port = await iterator.next()
            if let port { try await story(ServicesControl(client: client, port: port)) }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    func call(
        _ method: String, _ path: String, _ body: String = "", fields: [String: String?] = [:]
    ) async throws -> ReceivedResponse {
        try await client.call(method, "http://127.0.0.1:\(port)\(path)", fields: fields, body: Array(body.utf8))
    }
}
