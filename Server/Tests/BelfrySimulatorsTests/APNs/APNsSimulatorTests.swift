import BelfrySimulators
import Foundation
import Testing

@Suite("APNs simulator over TLS and HTTP/2")
struct APNsSimulatorTests {
    private let id = "123e4567-e89b-12d3-a456-4266554400a0"

    @Test("PUSH-1: a push is accepted over HTTP/2 with its own id, or with a generated one")
    func accept() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            let named = try await simulation.push(to: token, fields: ["apns-id": id])
            #expect(named == PushServiceResponse(status: 200, isHTTP2: true, apnsID: id, uniqueID: nil, body: ""))
            let unnamed = try await simulation.push(to: token)
            #expect(unnamed.status == 200)
            #expect(unnamed.apnsID?.count == 36)
            #expect(unnamed.apnsID != id)
            #expect(try simulation.simulator.acceptedCount(of: token) == 2)
        }
    }

    @Test("PUSH-1: an id that is no UUID comes back with its refusal, one that no field should hold does not")
    func wrongID() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            let rejected = try await simulation.push(to: token, fields: ["apns-id": "order-17"])
            #expect(rejected.rejection?.reason == "BadMessageId")
            #expect(rejected.apnsID == "order-17")
            let endless = String(repeating: "a", count: 256)
            let other = try await simulation.push(to: token, fields: ["apns-id": endless])
            #expect(other.rejection?.reason == "BadMessageId")
            #expect(other.apnsID?.count == 36)
        }
    }

    @Test("PUSH-1: the sandbox knows its own device tokens, and gives a unique id")
    func sandbox() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .sandbox)
            let accepted = try await simulation.push(to: token, .sandbox)
            #expect(accepted.status == 200)
            #expect(accepted.uniqueID?.count == 36)
            let rejected = try await simulation.push(to: token, .production)
            #expect(rejected.status == 400)
            #expect(rejected.rejection == PushServiceResponse.Rejection(reason: "BadDeviceToken"))
        }
    }

    @Test("PUSH-21: token, topic, credential and payload errors are distinguished")
    func faults() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            let unknown = try await simulation.push(to: String(repeating: "00", count: 32), fields: ["apns-id": id])
            #expect(unknown.status == 400)
            #expect(unknown.apnsID == id)
            #expect(unknown.rejection?.reason == "BadDeviceToken")
            let topic = try await simulation.push(to: token, fields: ["apns-topic": "org.example.other"])
            #expect(topic.status == 400)
            #expect(topic.rejection?.reason == "DeviceTokenNotForTopic")
            let credential = try await simulation.push(to: token, fields: ["authorization": nil])
            #expect(credential.status == 403)
            #expect(credential.rejection?.reason == "MissingProviderToken")
            let payload = try await simulation.push(to: token, body: String(repeating: "x", count: 4_097))
            #expect(payload.status == 413)
            #expect(payload.rejection?.reason == "PayloadTooLarge")
            let huge = try await simulation.push(to: token, body: String(repeating: "x", count: 30_000))
            #expect(huge.status == 413)
            let empty = try await simulation.push(to: token, body: "")
            #expect(empty.rejection?.reason == "PayloadEmpty")
            let good = try await simulation.push(to: token)
            #expect(good.status == 200)
            let statistics = simulation.simulator.statistics
            #expect(statistics.requests == 7)
            #expect(statistics.accepted == 1)
            #expect(statistics.refused["PayloadTooLarge"] == 2)
            #expect(statistics.connections == 1)
        }
    }

    @Test("PUSH-21: a device token whose app is gone gets 410 with the time in milliseconds")
    func unregistered() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            let since = Date(timeIntervalSince1970: 1_700_000_000)
            try simulation.simulator.setState(of: token, to: .unregistered(since: since))
            let gone = try await simulation.push(to: token)
            #expect(gone.status == 410)
            #expect(
                gone.rejection == PushServiceResponse.Rejection(reason: "Unregistered", timestamp: 1_700_000_000_000))
            try simulation.simulator.setState(of: token, to: .expired(since: since))
            let expired = try await simulation.push(to: token)
            #expect(
                expired.rejection == PushServiceResponse.Rejection(reason: "ExpiredToken", timestamp: 1_700_000_000_000)
            )
            try simulation.simulator.setState(of: token, to: .valid)
            let back = try await simulation.push(to: token)
            #expect(back.status == 200)
        }
    }

    @Test("PUSH-4: a provider token that expired is refused until it is renewed, on the same connection")
    func providerToken() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            let first = try await simulation.push(to: token)
            #expect(first.status == 200)
            let another = "bearer " + (try TestAPNsProvider(byte: 2).token(issuedAt: simulation.clock.now))
            let foreign = try await simulation.push(to: token, fields: ["authorization": another])
            #expect(foreign.status == 403)
            #expect(foreign.rejection?.reason == "InvalidProviderToken")
            let soon =
                "bearer " + (try simulation.provider.token(issuedAt: simulation.clock.now.addingTimeInterval(60)))
            let early = try await simulation.push(to: token, fields: ["authorization": soon])
            #expect(early.status == 429)
            #expect(early.rejection?.reason == "TooManyProviderTokenUpdates")
            simulation.clock.advance(by: 3_700)
            let late = try await simulation.push(to: token)
            #expect(late.status == 403)
            #expect(late.rejection?.reason == "ExpiredProviderToken")
            let new = "bearer " + (try simulation.provider.token(issuedAt: simulation.clock.now))
            let renewed = try await simulation.push(to: token, fields: ["authorization": new])
            #expect(renewed.status == 200)
            #expect(simulation.simulator.statistics.connections == 1)
        }
    }

    @Test("PUSH-4: many concurrent requests all get responses")
    func concurrency() async throws {
        var configuration = APNsSimulator.Configuration()
        configuration.maxConcurrentStreams = 50
        try await Simulation.run(configuration) { simulation in
            let tokens = (0..<200).map { _ in
                simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            }
            try await withThrowingTaskGroup(of: Int.self) { group in
                for token in tokens {
                    group.addTask { try await simulation.push(to: token).status }
                }
                for try await status in group {
                    #expect(status == 200)
                }
            }
            let counts = simulation.simulator.acceptedCounts()
            #expect(Set(counts.keys) == Set(tokens))
            #expect(counts.values.allSatisfy { $0.values.reduce(0, +) == 1 })
        }
    }

    @Test("PUSH-1: it starts once, reports a second start, and never starts after it stopped")
    func lifecycle() async throws {
        try await Simulation.run { simulation in
            let again = try await simulation.simulator.start()
            #expect(again == simulation.addresses)
            await simulation.simulator.shutdown()
            await #expect(throws: SimulatorError.self) { try await simulation.simulator.start() }
        }
    }
}
