import BelfrySimulators
import Foundation
import Testing

@Suite("Faults of the APNs simulator")
struct APNsFaultTests {
    private let id = "123e4567-e89b-12d3-a456-4266554400a0"

    static let rejections: [(FaultPlan.Fault, Int, String)] = [
        (.tooManyRequests, 429, "TooManyRequests"),
        (.internalServerError, 500, "InternalServerError"),
        (.serviceUnavailable, 503, "ServiceUnavailable"),
        (.shutdown, 503, "Shutdown"),
    ]

    @Test(
        "PUSH-4: an injected fault has Apple's status and reason, and nothing is accepted",
        arguments: APNsFaultTests.rejections)
    func rejection(_ fault: FaultPlan.Fault, _ status: Int, _ reason: String) async throws {
        var configuration = APNsSimulator.Configuration()
        configuration.faults = try FaultPlan(seed: 1, rates: [fault: 1])
        try await Simulation.run(configuration) { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            let response = try await simulation.push(to: token)
            #expect(response.status == status)
            #expect(response.rejection?.reason == reason)
            let accepted = try simulation.simulator.acceptedCount(of: token)
            #expect(accepted == 0)
            #expect(simulation.simulator.statistics.faults[fault.rawValue] == 1)
            #expect(simulation.simulator.statistics.answered == 0, "only accepted ones are counted")
        }
    }

    @Test("PUSH-4: GOAWAY ends a connection after its requests got responses, and no push is lost or doubled")
    func goAway() async throws {
        var configuration = APNsSimulator.Configuration()
        configuration.faults = try FaultPlan(seed: 1, goAwayAfter: 2)
        try await Simulation.run(configuration) { simulation in
            let tokens = (0..<5).map { _ in
                simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            }
            for token in tokens {
                let response = try await simulation.push(to: token)
                #expect(response.status == 200)
            }
            let counts = simulation.simulator.acceptedCounts()
            #expect(tokens.allSatisfy { counts[$0]?.values.reduce(0, +) == 1 })
            #expect(simulation.simulator.statistics.connections == 3)
        }
    }

    @Test("PUSH-5: a push whose response was lost is accepted, and its repeat carries the same id")
    func lostAnswer() async throws {
        var configuration = APNsSimulator.Configuration()
        configuration.faults = try FaultPlan(seed: 1, rates: [.connectionLostAfter: 1])
        try await Simulation.run(configuration) { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            await #expect(throws: (any Error).self) {
                try await simulation.push(to: token, fields: ["apns-id": id])
            }
            let lost = simulation.simulator.statistics
            #expect(lost.accepted == 1 && lost.answered == 0)
            simulation.simulator.setFaults(.none)
            let repeated = try await simulation.push(to: token, fields: ["apns-id": id])
            #expect(repeated.status == 200)
            let statistics = simulation.simulator.statistics
            #expect(statistics.accepted == 2 && statistics.answered == 1)
            let counts = simulation.simulator.acceptedCounts()
            #expect(counts == [token: [id: 2]])
        }
    }

    @Test("PUSH-5: a push whose connection was lost before is not accepted")
    func lostRequest() async throws {
        var configuration = APNsSimulator.Configuration()
        configuration.faults = try FaultPlan(seed: 1, rates: [.connectionLostBefore: 1])
        try await Simulation.run(configuration) { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            await #expect(throws: (any Error).self) {
                try await simulation.push(to: token, fields: ["apns-id": id])
            }
            let accepted = try simulation.simulator.acceptedCount(of: token)
            #expect(accepted == 0)
        }
    }

    @Test("PUSH-4: a slow response is the right response")
    func slowAnswer() async throws {
        var configuration = APNsSimulator.Configuration()
        configuration.faults = try FaultPlan(seed: 1, rates: [.slowAnswer: 1], slowAnswer: .milliseconds(1))
        try await Simulation.run(configuration) { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            let response = try await simulation.push(to: token, fields: ["apns-id": id])
            #expect(response.status == 200)
            #expect(response.apnsID == id)
            #expect(simulation.simulator.statistics.answered == 1)
        }
    }
}
