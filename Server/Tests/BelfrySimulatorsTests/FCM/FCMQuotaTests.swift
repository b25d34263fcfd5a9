import BelfrySimulators
import Foundation
import Testing

@Suite("Quotas and faults of the FCM simulator")
struct FCMQuotaTests {
    typealias Rejection = FCMSimulation.Rejection

    @Test("PUSH-2: a project beyond its quota gets Google's general error and the seconds until there is room")
    func projectQuota() async throws {
        var configuration = FCMSimulator.Configuration()
        configuration.projectQuota = SimulatorQuota(requests: 2, interval: 60)
        try await FCMSimulation.run(configuration) { simulation in
            let tokens = (0..<4).map { _ in simulation.simulator.issueToken(projectID: FCMSimulation.project) }
            for token in tokens.prefix(2) {
                let response = try await simulation.send(to: token)
                #expect(response.status == 200)
            }
            simulation.clock.advance(by: 45)
            let rejected = try await simulation.send(to: tokens[2])
            #expect(rejected.status == 429)
            #expect(rejected.fields["retry-after"] == "15")
            let rejection = try rejected.json(Rejection.self)
            #expect(rejection.errorCode == nil && rejection.error.status == "RESOURCE_EXHAUSTED")
            let info = try #require(rejection.detail("ErrorInfo"))
            #expect(info.reason == "RATE_LIMIT_EXCEEDED" && info.domain == "googleapis.com")
            #expect(info.metadata?["service"] == "fcm.googleapis.com" && info.metadata?["quota_limit_value"] == "2")
            #expect(rejection.detail("QuotaFailure") == nil)
            #expect(simulation.simulator.statistics.refused == ["RESOURCE_EXHAUSTED": 1])
            simulation.clock.advance(by: 15)
            let later = try await simulation.send(to: tokens[3])
            #expect(later.status == 200)
        }
    }

    @Test("PUSH-2: a device that gets too many messages responds with 429, others continue")
    func deviceQuota() async throws {
        var configuration = FCMSimulator.Configuration()
        configuration.deviceQuota = SimulatorQuota(requests: 1, interval: 60)
        try await FCMSimulation.run(configuration) { simulation in
            let busy = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let calm = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            #expect(try await simulation.send(to: busy).status == 200)
            let rejected = try await simulation.send(to: busy)
            #expect(rejected.status == 429 && rejected.fields["retry-after"] == "60")
            let rejection = try rejected.json(Rejection.self)
            #expect(rejection.errorCode == "QUOTA_EXCEEDED")
            #expect(rejection.detail("QuotaFailure")?.violations?.first?["subject"] == "device")
            #expect(try await simulation.send(to: calm).status == 200)
        }
    }

    @Test("PUSH-2: quotas can be set while the simulator runs, and taken away")
    func quotasAtRunTime() async throws {
        try await FCMSimulation.run { simulation in
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let one = SimulatorQuota(requests: 1, interval: 60)
            let unlimited = try await statuses(simulation, token)
            #expect(unlimited == [200, 200])
            simulation.simulator.setQuotas(project: nil, device: one)
            #expect(try await statuses(simulation, token) == [200, 429])
            simulation.clock.advance(by: 60)
            simulation.simulator.setQuotas(project: one, device: nil)
            #expect(try await statuses(simulation, token) == [200, 429])
            simulation.simulator.setQuotas(project: nil, device: nil)
            #expect(try await statuses(simulation, token) == [200, 200])
        }
    }

    /// Of two sends, one after the other.
    private func statuses(_ simulation: FCMSimulation, _ token: String) async throws -> [Int] {
        [try await simulation.send(to: token).status, try await simulation.send(to: token).status]
    }

    static let rejections: [(FaultPlan.Fault, Int, String, String?)] = [
        (.tooManyRequests, 429, "QUOTA_EXCEEDED", "3"), (.internalServerError, 500, "INTERNAL", nil),
        (.serviceUnavailable, 503, "UNAVAILABLE", "3"), (.shutdown, 503, "UNAVAILABLE", "3"),
    ]

    @Test("PUSH-4: an injected fault has Google's status and code, and nothing is accepted", arguments: rejections)
    func rejection(_ fault: FaultPlan.Fault, _ status: Int, _ code: String, _ retryAfter: String?) async throws {
        try await FCMSimulation.run { simulation in
            simulation.simulator.setFaults(try FaultPlan(seed: 1, rates: [fault: 1], retryAfter: 3))
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let response = try await simulation.send(to: token)
            #expect(response.status == status)
            #expect(try response.json(Rejection.self).errorCode == code)
            #expect(response.fields["retry-after"] == retryAfter)
            #expect(try simulation.simulator.acceptedCount(of: token) == 0)
            #expect(simulation.simulator.statistics.faults == [fault.rawValue: 1])
        }
    }

    @Test("PUSH-5: a message whose response was lost is accepted", arguments: [true, false])
    func lostAnswer(_ isHTTP2: Bool) async throws {
        try await FCMSimulation.run(FCMSimulator.Configuration(), isHTTP2 ? .automatic : .http1Only) { simulation in
            simulation.simulator.setFaults(try FaultPlan(seed: 1, rates: [.connectionLostAfter: 1]))
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            await #expect(throws: (any Error).self) { try await simulation.send(to: token) }
            simulation.simulator.setFaults(try FaultPlan(seed: 1, rates: [.connectionLostBefore: 1]))
            await #expect(throws: (any Error).self) { try await simulation.send(to: token) }
            #expect(try simulation.simulator.acceptedCount(of: token) == 1)
        }
    }

    @Test(
        "PUSH-4: connections end after their requests got responses, and no message is lost", arguments: [true, false])
    func goAway(_ isHTTP2: Bool) async throws {
        try await FCMSimulation.run(FCMSimulator.Configuration(), isHTTP2 ? .automatic : .http1Only) { simulation in
            simulation.simulator.setFaults(try FaultPlan(seed: 1, goAwayAfter: 2, latency: .milliseconds(1)))
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            for _ in 0..<5 {
                let response = try await simulation.send(to: token)
                #expect(response.status == 200)
            }
            #expect(try simulation.simulator.acceptedCount(of: token) == 5)
            #expect(simulation.simulator.statistics.connections == 3)
        }
    }

    @Test(
        "PUSH-4: a body without end gets a response before its end, and later requests are served",
        arguments: [true, false])
    func hopelessBody(_ isHTTP2: Bool) async throws {
        try await FCMSimulation.run(FCMSimulator.Configuration(), isHTTP2 ? .automatic : .http1Only) { simulation in
            let response = try await simulation.post(String(repeating: "x", count: 40_000))
            #expect(response.status == 400)
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let next = try await simulation.send(to: token)
            #expect(next.status == 200)
        }
    }

    @Test("PUSH-6: the memory for messages is limited, however many there are")
    func bounded() async throws {
        var configuration = FCMSimulator.Configuration()
        configuration.keepsHistory = 3
        configuration.storedPerDevice = 2
        try await FCMSimulation.run(configuration) { simulation in
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            for _ in 0..<8 {
                _ = try await simulation.send(to: token)
            }
            #expect(simulation.simulator.history.count == 3)
            let statistics = simulation.simulator.statistics
            #expect(statistics.accepted == 8)
            #expect(statistics.discarded == 6)
        }
    }
}
