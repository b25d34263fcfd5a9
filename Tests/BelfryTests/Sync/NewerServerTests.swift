import BelfryModel
import Foundation
import Testing

@testable import Belfry

/// An app is not updated with its server: the SDK continues when a later server says more than it knows.
struct NewerServerTests {
    /// Says something new in each object of each response, and in a header.
    private struct NewerServer: Transport {
        let wire: Wire

        func send(_ request: TransportRequest) async throws -> TransportResponse {
            let response = try await wire.send(request)
            var headers = response.headers
            headers["x-belfry-later"] = "1"
            guard let tree = try? JSONSerialization.jsonObject(with: response.body) else {
                return TransportResponse(status: response.status, headers: headers, body: response.body)
            }
            let body = try JSONSerialization.data(withJSONObject: later(tree))
            return TransportResponse(status: response.status, headers: headers, body: body)
        }

        private func later(_ value: Any) -> Any {
            if let list = value as? [Any] { return list.map(later) }
            guard var object = value as? [String: Any] else { return value }
            object = object.mapValues(later)
            object["later"] = ["words": ["of", "another", "version"], "count": 1]
            return object
        }
    }

    @Test("WIRE-7, WIRE-9, WIRE-10: unknown fields of a later server are ignored, and everything works")
    func story() async throws {
        let world = try World()
        try await FormerStory.fill(world.server)
        let client = try BelfryClient(
            configuration: world.configuration,
            platform: HeadlessPlatform(system: SystemProperties(), inAppPresenter: world.screen),
            transport: NewerServer(wire: world.wire),
            environment: .manual(world.clock, Chance(seed: 1))
        )
        try await client.start()
        try await client.setMessageCenterEnabled(true)
        try await client.identify(contactKey: "anna")
        try await client.setPushToken("0abcff", environment: .sandbox)
        await client.waitUntilIdle()
        try await client.setBadgeCount(3)
        try await client.refreshMessageCenters()
        try await client.refreshInAppMessages()
        #expect(try await client.messages().map(\.id) == ["message-3", "message-2", "message-1"])
        #expect(try await client.messages().error == nil)
        #expect(try await client.richContent(for: "message-2") == "<p>rich</p>")
        #expect(try await client.inAppMessages.map(\.campaignID) == ["2", "1"])
        try await client.markRead("message-1")
        await world.server.set(rejectedAlone: ["bad"])
        try await client.track("bad")
        try await client.track("good")
        await world.server.expireTokens()
        world.clock.advance(by: 60)
        try await client.flush()
        let state = try await client.state()
        #expect(state.badge.count == 3)
        #expect(!state.registration.isPending)
        #expect(state.queue.count == 0)
        #expect(state.queue.setAside == 1)
        #expect(await world.server.tracked.map(\.name) == ["good"])
        #expect(await world.server.inbox.message("message-1", of: "anna")?.state == .read)
        #expect(await world.server.pushToken == "0abcff")
        await client.stop()
    }
}
