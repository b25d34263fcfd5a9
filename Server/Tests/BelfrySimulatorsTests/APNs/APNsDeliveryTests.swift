import BelfrySimulators
import Foundation
import Testing

@Suite("From the APNs simulator to a device")
struct APNsDeliveryTests {
    @Test("PUSH-20: an accepted push reaches the device that listens, unchanged")
    func listening() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            var device = try simulation.simulator.notifications(for: token).makeAsyncIterator()
            let body = #"{"aps":{"alert":"hello"},"campaign":7}"#
            let response = try await simulation.push(
                to: token,
                fields: ["apns-priority": "5", "apns-collapse-id": "c", "apns-expiration": "0"],
                body: body
            )
            let arrived = await device.next()
            let notification = try #require(arrived)
            #expect(notification.token == token)
            #expect(notification.apnsID == response.apnsID)
            #expect(notification.topic == Simulation.topic)
            #expect(notification.pushType == .alert)
            #expect(notification.priority == 5)
            #expect(notification.collapseID == "c")
            #expect(notification.expiration == 0)
            #expect(notification.payload == Array(body.utf8))
            #expect(notification.acceptedAt == simulation.clock.now)
            #expect(simulation.simulator.statistics.delivered == 1)
        }
    }

    @Test("PUSH-5: a device that was offline gets one push for each collapse id, the newest")
    func storedWhileAway() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            for (collapseID, text) in [("a", "first"), ("b", "second"), ("a", "third")] {
                _ = try await simulation.push(
                    to: token,
                    fields: ["apns-collapse-id": collapseID],
                    body: #"{"aps":{"alert":"\#(text)"}}"#
                )
            }
            _ = try await simulation.push(to: token, fields: ["apns-expiration": "0"])
            var device = try simulation.simulator.notifications(for: token).makeAsyncIterator()
            let arrived = [await device.next(), await device.next()]
            let one = try #require(arrived[0])
            let two = try #require(arrived[1])
            #expect(String(decoding: one.payload, as: UTF8.self).contains("second"))
            #expect(String(decoding: two.payload, as: UTF8.self).contains("third"))
            #expect(one.sequence == 2)
            #expect(two.sequence == 3)
            let statistics = simulation.simulator.statistics
            #expect(statistics.accepted == 4)
            #expect(statistics.replaced == 1)
            #expect(statistics.discarded == 1)
            #expect(statistics.delivered == 2)
        }
    }

    @Test("PUSH-20: a device has one stream, and none when the simulator stops")
    func oneStream() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            var first = try simulation.simulator.notifications(for: token).makeAsyncIterator()
            var second = try simulation.simulator.notifications(for: token).makeAsyncIterator()
            let ended = await first.next()
            #expect(ended == nil)
            _ = try await simulation.push(to: token)
            let notification = await second.next()
            #expect(notification?.sequence == 1)
            await simulation.simulator.shutdown()
            let stopped = await second.next()
            #expect(stopped == nil)
            #expect(throws: SimulatorError.self) {
                try simulation.simulator.notifications(for: String(repeating: "0", count: 64))
            }
        }
    }

    @Test("PUSH-21: a device token that gets too many pushes responds with 429")
    func rateLimit() async throws {
        var configuration = APNsSimulator.Configuration()
        configuration.tokenRateLimit = .init(requests: 2, interval: 60)
        try await Simulation.run(configuration) { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            var statuses: [Int] = []
            for _ in 0..<3 {
                statuses.append(try await simulation.push(to: token).status)
            }
            simulation.clock.advance(by: 60)
            statuses.append(try await simulation.push(to: token).status)
            #expect(statuses == [200, 200, 429, 200])
        }
    }

    @Test("PUSH-5: the history is limited, the newest stay")
    func history() async throws {
        var configuration = APNsSimulator.Configuration()
        configuration.keepsHistory = 2
        try await Simulation.run(configuration) { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            var ids: [String?] = []
            for _ in 0..<5 {
                ids.append(try await simulation.push(to: token).apnsID)
            }
            let remembered = simulation.simulator.history.map(\.apnsID)
            #expect(remembered == ids.suffix(2).compactMap { $0 })
            #expect(try simulation.simulator.acceptedCount(of: token) == 5)
        }
    }
}
