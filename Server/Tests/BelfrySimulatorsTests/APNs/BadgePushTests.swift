import BelfrySimulators
import Foundation
import Testing

@Suite("Badges in simulated pushes")
struct BadgePushTests {
    @Test("BADGE-1, PUSH-20: APNs accepts a push with only a badge, and the device sees the number")
    func badgeOnly() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            let body = #"{"aps":{"content-available":1,"badge":3},"belfry":{"badge":{"count":3,"revision":7}}}"#
            for priority in ["5", "10"] {
                let response = try await simulation.push(to: token, fields: ["apns-priority": priority], body: body)
                #expect(response.status == 200, "\(priority)")
            }
            var device = try simulation.simulator.notifications(for: token).makeAsyncIterator()
            let arrived = [await device.next(), await device.next()]
            #expect(arrived.map { $0?.badge } == [3, 3])
            #expect(arrived.map { $0?.payload } == [Array(body.utf8), Array(body.utf8)])
        }
    }

    @Test("BADGE-1, PUSH-20: a badge makes a push noticeable, so it is no background push")
    func background() async throws {
        try await Simulation.run { simulation in
            let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
            let response = try await simulation.push(
                to: token, fields: ["apns-push-type": "background", "apns-priority": "5"],
                body: #"{"aps":{"content-available":1,"badge":3}}"#
            )
            #expect(response.status == 400)
            #expect(try simulation.simulator.acceptedCount(of: token) == 0)
        }
    }

    @Test("BADGE-1: 0 removes the badge; an invalid number leaves the icon alone")
    func values() async throws {
        let expected: [(aps: String, badge: Int?)] = [
            (#"{"badge":0}"#, 0), (#"{"badge":9999}"#, 9_999), (#"{"badge":-1}"#, nil), (#"{"badge":"3"}"#, nil),
            (#"{"badge":1.5}"#, nil), (#"{"badge":null}"#, nil), (#"{"alert":"hello"}"#, nil),
            (#"{"alert":{"badge":4}}"#, nil),
        ]
        try await Simulation.run { simulation in
            for (aps, badge) in expected {
                let token = simulation.simulator.issueToken(topic: Simulation.topic, environment: .production)
                _ = try await simulation.push(to: token, body: #"{"badge":8,"aps":\#(aps)}"#)
                var device = try simulation.simulator.notifications(for: token).makeAsyncIterator()
                let arrived = await device.next()
                let notification = try #require(arrived)
                #expect(notification.badge == badge, "\(aps)")
            }
        }
    }

    @Test("BADGE-1: FCM accepts only data, which an app gets without a notification")
    func dataOnly() async throws {
        try await FCMSimulation.run { simulation in
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            let data = #""data":{"belfry":"{\"sid\":\"a\",\"badge\":{\"count\":3,\"revision\":7}}"}"#
            let response = try await simulation.send(to: token, data)
            #expect(response.status == 200)
            var device = try simulation.simulator.messages(for: token).makeAsyncIterator()
            let arrived = await device.next()
            let message = try #require(arrived)
            #expect(message.data == ["belfry": #"{"sid":"a","badge":{"count":3,"revision":7}}"#])
            #expect(message.title == nil && message.body == nil && message.notificationCount == nil)
            #expect(!message.isHighPriority)
        }
    }

    @Test("BADGE-1: the number with a notification of FCM reaches the device, by either spelling")
    func notificationCount() async throws {
        try await FCMSimulation.run { simulation in
            let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
            for name in ["notification_count", "notificationCount"] {
                let response = try await simulation.send(
                    to: token, #""notification":{"title":"Hello"},"android":{"notification":{"\#(name)":4}}"#
                )
                #expect(response.status == 200, "\(name)")
            }
            var device = try simulation.simulator.messages(for: token).makeAsyncIterator()
            let arrived = [await device.next(), await device.next()]
            #expect(arrived.map { $0?.notificationCount } == [4, 4])
            #expect(arrived.map { $0?.title } == ["Hello", "Hello"])
        }
    }

    @Test("BADGE-1, CLI-3: over the control API a device of another process sees the number, too")
    func control() async throws {
        struct Arrival: Decodable {
            var badge: Int?
            var notificationCount: Int?
        }
        try await Control.run { control in
            let token = try await control.issueToken()
            for aps in [#"{"badge":5}"#, #"{"alert":"hello"}"#] {
                _ = try await control.simulation.push(to: token, body: #"{"aps":\#(aps)}"#)
            }
            let response = try await control.call(.GET, "/tokens/\(token)/notifications")
            let arrivals = try JSONDecoder().decode([Arrival].self, from: Data(response.body.utf8))
            #expect(arrivals.map(\.badge) == [5, nil])
        }
        try await FCMSimulation.run { simulation in
            try await ServicesControl.run(fcm: simulation.simulator, simulation.client) { control in
                let token = simulation.simulator.issueToken(projectID: FCMSimulation.project)
                _ = try await simulation.send(to: token, #""android":{"notification":{"notification_count":6}}"#)
                let response = try await control.call("GET", "/fcm/tokens/\(token)/notifications")
                #expect(try response.json([Arrival].self).map(\.notificationCount) == [6])
            }
        }
    }
}
