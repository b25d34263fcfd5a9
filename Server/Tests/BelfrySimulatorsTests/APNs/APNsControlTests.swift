import AsyncHTTPClient
import BelfrySimulators
import Foundation
import Logging
import NIOCore
import ServiceLifecycle
import Testing

@Suite("Control API of the APNs simulator")
struct APNsControlTests {
    @Test("CLI-3: a device of another process gets its token and its pushes over HTTP")
    func device() async throws {
        try await Control.run { control in
            let token = try await control.issueToken()
            async let waiting = control.notifications(token, "after=0&wait=30")
            let answer = try await control.simulation.push(to: token, fields: ["apns-collapse-id": "c"])
            let notifications = try await waiting
            #expect(notifications.map(\.apnsId) == [answer.apnsID])
            #expect(notifications.first?.payload == #"{"aps":{"alert":"hello"}}"#)
            #expect(notifications.first?.collapseId == "c")
            let again = try await control.notifications(token, "after=0")
            #expect(again.map(\.sequence) == [1])
            let acknowledged = try await control.notifications(token, "after=1&wait=0")
            #expect(acknowledged.isEmpty)
        }
    }

    @Test("CLI-3: device state, faults and keys are set, and statistics and the trust root read")
    func settings() async throws {
        try await Control.run { control in
            let token = try await control.issueToken()
            let state = try await control.call(.PUT, "/tokens/\(token)", #"{"state":"unregistered","since":1500}"#)
            #expect(state.status == 204)
            let gone = try await control.simulation.push(to: token)
            #expect(gone.rejection == PushServiceResponse.Rejection(reason: "Unregistered", timestamp: 1_500))
            let errors = try await control.call(.PUT, "/faults", #"{"seed":1,"rates":{"internalServerError":1}}"#)
            #expect(errors.status == 204)
            _ = try await control.call(.PUT, "/tokens/\(token)", #"{"state":"valid"}"#)
            let failed = try await control.simulation.push(to: token)
            #expect(failed.status == 500)
            _ = try await control.call(.PUT, "/faults", "{}")
            let key = try TestAPNsProvider(byte: 9).privateKey.publicKey.pemRepresentation
            let body = try JSONEncoder().encode(["teamId": "T1", "keyId": "K1", "publicKey": key])
            let registered = try await control.call(.POST, "/keys", String(decoding: body, as: UTF8.self))
            #expect(registered.status == 204)
            let statistics = try await control.call(.GET, "/statistics")
            let counts = try JSONDecoder().decode(APNsSimulator.Statistics.self, from: Data(statistics.body.utf8))
            #expect(counts.refused == ["Unregistered": 1, "InternalServerError": 1])
            #expect(counts.deviceTokens == 1)
            let root = try await control.call(.GET, "/trust-root")
            #expect(root.body == control.simulation.simulator.trustRootPEM)
        }
    }

    @Test("CLI-3: a misspelled limit lifts none, and is told what there is")
    func misspelled() async throws {
        try await Control.run { control in
            let body = #"{"device":{"requests":1,"intervalSeconds":3600}}"#
            #expect(try await control.call(.PUT, "/quotas", body).status == 204)
            let wrong = try await control.call(.PUT, "/quotas", #"{"devices":{"requests":1,"intervalSeconds":3600}}"#)
            #expect(wrong.status == 400 && wrong.fault?.message.contains("device") == true)
            let token = try await control.issueToken()
            #expect(try await control.simulation.push(to: token).status == 200)
            #expect(try await control.simulation.push(to: token).status == 429)
        }
    }

    @Test("CLI-3, PUSH-1: a key is registered for the environments that the call names")
    func keyEnvironments() async throws {
        try await Control.run { control in
            let simulation = control.simulation
            let provider = simulation.provider
            let key = String(
                decoding: try JSONEncoder().encode(provider.privateKey.publicKey.pemRepresentation), as: UTF8.self
            )
            let names = #""teamId":"\#(provider.teamID)","keyId":"\#(provider.keyID)""#
            let registered = try await control.call(
                .POST, "/keys", #"{\#(names),"publicKey":\#(key),"environments":["sandbox"]}"#
            )
            #expect(registered.status == 204)
            let production = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            let rejected = try await simulation.push(to: production)
            #expect(rejected.status == 403 && rejected.rejection?.reason == "BadEnvironmentKeyInToken")
            let sandbox = simulation.simulator.issueToken(topic: Simulation.topic, environment: .sandbox)
            let accepted = try await simulation.push(to: sandbox, .sandbox)
            #expect(accepted.status == 200)
        }
    }

    @Test("CLI-3, PUSH-4: the quota of a device token is set while the simulator runs")
    func quota() async throws {
        try await Control.run { control in
            let token = try await control.issueToken()
            let body = #"{"device":{"requests":1,"intervalSeconds":60}}"#
            #expect(try await control.call(.PUT, "/quotas", body).status == 204)
            #expect(try await control.simulation.push(to: token).status == 200)
            let rejected = try await control.simulation.push(to: token)
            #expect(rejected.status == 429 && rejected.rejection?.reason == "TooManyRequests")
            #expect(try await control.call(.PUT, "/quotas", "{}").status == 204)
            #expect(try await control.simulation.push(to: token).status == 200)
        }
    }

    @Test("CLI-3: bad input gets an error that names the field, and nothing changes")
    func badInput() async throws {
        try await Control.run { control in
            let token = try await control.issueToken()
            let unknown = String(repeating: "0", count: 64)
            let calls: [(Control.Method, String, String, Int, String)] = [
                (.POST, "/tokens", #"{"topic":"org.example.app"}"#, 400, "environment"),
                (.POST, "/tokens", #"{"topic":"a","environment":"moon"}"#, 400, "environment"),
                (.POST, "/tokens", #"{"topic":"","environment":"sandbox"}"#, 400, "topic"),
                (.POST, "/tokens", #"{"topic":1,"environment":"sandbox"}"#, 400, "topic"),
                (.POST, "/tokens", "{", 400, "body"),
                (.PUT, "/tokens/\(token)", #"{"state":"lost"}"#, 400, "state"),
                (.PUT, "/tokens/\(token)", #"{"state":"expired","since":1e300}"#, 400, "since"),
                (.PUT, "/tokens/\(token)", #"{"state":"expired","since":-1}"#, 400, "since"),
                (.PUT, "/tokens/\(unknown)", #"{"state":"valid"}"#, 404, "token"),
                (.GET, "/tokens/\(unknown)/notifications", "", 404, "token"),
                (.GET, "/tokens/\(token)/notifications?wait=61", "", 400, "wait"),
                (.GET, "/tokens/\(token)/notifications?after=-1", "", 400, "after"),
                (.PUT, "/faults", #"{"rates":{"rain":1}}"#, 400, "rates.rain"),
                (.PUT, "/faults", #"{"rates":{"noAnswer":2}}"#, 400, "rates.noAnswer"),
                (.PUT, "/faults", #"{"goAwayAfter":0}"#, 400, "goAwayAfter"),
                (.POST, "/keys", #"{"teamId":"T","keyId":"K","publicKey":"no"}"#, 400, "publicKey"),
                (.PUT, "/quotas", #"{"device":{"requests":0,"intervalSeconds":1}}"#, 400, "device.requests"),
                (.PUT, "/quotas", #"{"device":{"requests":1}}"#, 400, "device.intervalSeconds"),
                (.PUT, "/quotas", #"{"nix":1}"#, 400, "nix"),
                (.PUT, "/quotas", #"{"device":{"requests":1,"intervalSecond":1}}"#, 400, "device.intervalSecond"),
                (.PUT, "/faults", #"{"rate":{}}"#, 400, "rate"),
                (.POST, "/keys", #"{"teamId":"T","keyId":"K","publicKey":"no","topic":"a"}"#, 400, "topic"),
                (
                    .POST, "/keys", #"{"teamId":"T","keyId":"K","publicKey":"no","environments":["moon"]}"#, 400,
                    "environments[0]"
                ),
                (.POST, "/tokens", #"{"topic":"a","environment":"sandbox","state":"valid"}"#, 400, "state"),
                (
                    .POST, "/keys", #"{"teamId":"T","keyId":"K","publicKey":"no","environments":[]}"#, 400,
                    "environments"
                ),
                (.POST, "/keys", #"{"teamId":"T T","keyId":"K","publicKey":"no"}"#, 400, "teamId"),
            ]
            for (method, path, body, status, field) in calls {
                let answer = try await control.call(method, path, body)
                #expect(answer.status == status, "\(method) \(path) \(body)")
                #expect(answer.fault?.field == field, "\(method) \(path) \(body)")
            }
            #expect(control.simulation.simulator.statistics.deviceTokens == 1)
        }
    }
}

/// A simulator with its control API.
struct Control {
    enum Method: String {
        case GET, POST, PUT
    }

    struct Response {
        var status: Int
        var body: String

        struct Fault: Decodable {
            var code: String
            var field: String
            var message: String
        }

        var fault: Fault? {
            try? JSONDecoder().decode([String: Fault].self, from: Data(body.utf8))["error"]
        }
    }

    struct Notification: Decodable {
        var sequence: Int
        var apnsId: String
        var payload: String
        var collapseId: String?
    }

    let simulation: Simulation
    let port: Int

    static func run(_ story: (Control) async throws -> Void) async throws {
        try await Simulation.run { simulation in
            let (ports, found) = AsyncStream.makeStream(of: Int.self)
            let logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
            let server = APNsControlServer(simulator: simulation.simulator, logger: logger) { found.yield($0) }
            let group = ServiceGroup(configuration: ServiceGroupConfiguration(services: [server], logger: logger))
            try await withThrowingTaskGroup(of: Void.self) { tasks in
                tasks.addTask {
                    defer { found.finish() }
                    try await group.run()
                }
                var iterator = ports.makeAsyncIterator()
                let port = await iterator.next()
                if let port { try await story(Control(simulation: simulation, port: port)) }
                await group.triggerGracefulShutdown()
                try await tasks.waitForAll()
            }
        }
    }

    func call(_ method: Method, _ path: String, _ body: String = "") async throws -> Response {
        var request = HTTPClientRequest(url: "http://127.0.0.1:\(port)\(path)")
        request.method = .init(rawValue: method.rawValue)
        if !body.isEmpty { request.body = .bytes(ByteBuffer(string: body)) }
        let response = try await simulation.client.execute(request, timeout: .minutes(5))
        let content = try await response.body.collect(upTo: 1 << 20)
        return Response(status: Int(response.status.code), body: String(buffer: content))
    }

    func issueToken() async throws -> String {
        let answer = try await call(.POST, "/tokens", #"{"topic":"org.example.app","environment":"production"}"#)
        let body = try JSONDecoder().decode([String: String].self, from: Data(answer.body.utf8))
        return body["token"] ?? ""
    }

    func notifications(_ token: String, _ query: String) async throws -> [Notification] {
        let answer = try await call(.GET, "/tokens/\(token)/notifications?\(query)")
        return try JSONDecoder().decode([Notification].self, from: Data(answer.body.utf8))
    }
}
