import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// What an app hears of a change in its message centers (MC-11, MC-17), and why a center is not shown (MC-10).
@Suite(.timeLimit(.minutes(15)))
struct MessageCenterUpdateTests {
    /// A client with some messages, and what it says from then on.
    private func started(
        _ world: World, _ count: Int = 3
    ) async throws -> (client: BelfryClient, ids: [String], updates: AsyncStream<MessageCenterUpdate>.Iterator) {
        let client = try await world.startCenters()
        var ids: [String] = []
        for number in 0..<count {
            ids.append(
                await world.server.keep(for: "anna") { $0.sentAt = World.epoch.addingTimeInterval(Double(number)) }
            )
        }
        try await client.refreshMessageCenters()
        return (client, ids, client.messageCenterUpdates.makeAsyncIterator())
    }

    @Test(
        "MC-17: an update names changed, removed and new messages and their centers; none is sent when nothing changes")
    func changes() async throws {
        let world = try World()
        var (client, ids, updates) = try await started(world)
        try await client.refreshMessageCenters()
        let (read, deleted, edited) = (ids[0], ids[1], ids[2])
        await world.server.changeInbox { inbox in
            _ = inbox.join(.read, id: read, of: "anna")
            _ = inbox.join(.deleted, id: deleted, of: "anna")
            guard var message = inbox.message(edited, of: "anna") else { return }
            inbox.forget(edited, of: "anna")
            message.subject = "Edited"
            inbox.keep(message, for: "anna")
            inbox.centers["Offers"] = true
        }
        await world.server.keep(for: "anna") { $0.center = "Offers" }
        try await client.refreshMessageCenters()
        let expected = MessageCenterUpdate(
            centers: ["Offers"], changedCenters: ["Offers", "Primary"], changedMessages: [read, edited],
            removedMessages: [deleted]
        )
        // The first refresh had nothing to say.
        #expect(await updates.next() == expected)
        await world.server.changeInbox { $0.labels["Offers"] = "What is new" }
        try await client.refreshMessageCenters()
        #expect(await updates.next() == MessageCenterUpdate(centers: [], changedCenters: ["Offers"]))
        await world.server.changeInbox { $0.centers["Offers"] = false }
        try await client.refreshMessageCenters()
        let gone = try #require(await updates.next())
        #expect(gone.centers.isEmpty && gone.changedCenters == ["Offers"] && gone.removedMessages.count == 1)
        await client.stop()
    }

    @Test("MC-17, MC-14: what the person did on this device is no news when the server says it, too")
    func own() async throws {
        let world = try World()
        var (client, ids, updates) = try await started(world)
        try await client.markRead(ids[0])
        try await client.delete(ids[1])
        try await client.refreshMessageCenters()
        await client.waitUntilIdle()
        try await client.refreshMessageCenters()
        await world.server.keep(for: "anna")
        try await client.refreshMessageCenters()
        #expect(await updates.next() == MessageCenterUpdate(centers: ["Primary"]))
        await client.stop()
    }

    @Test(
        "MC-17: a message expires by the server's clock, whatever the device's, and the app hears of it at that moment",
        arguments: [-7_200.0, 0, 7_200])
    func expiry(ahead: TimeInterval) async throws {
        let world = try World { $0.messageCenterInterval = 86_400 }
        await world.server.set(clockAhead: ahead)
        let client = try await world.startCenters()
        let now = world.clock.now.addingTimeInterval(ahead)
        let id = await world.server.keep(for: "anna") { $0.expiresAt = now.addingTimeInterval(600) }
        let kept = await world.server.keep(for: "anna")
        try await client.refreshMessageCenters()
        var updates = client.messageCenterUpdates.makeAsyncIterator()
        try await world.advance(by: 599)
        #expect(try await client.messages().count == 2)
        let fetches = await world.server.count(FakeServer.fetch)
        try await world.advance(by: 1)
        #expect(try await client.messages().map(\.id) == [kept])
        let expected = MessageCenterUpdate(centers: [], changedCenters: ["Primary"], removedMessages: [id])
        #expect(await updates.next() == expected)
        #expect(await world.server.count(FakeServer.fetch) == fetches)
        await client.stop()
    }

    @Test("MC-10: a disabled center is a 403 and an unknown one a 404 from the first response on, without a request")
    func disabled() async throws {
        let world = try World()
        let client = try await world.start()
        await world.server.changeInbox { $0.centers["Offers"] = false }
        try await client.setMessageCenterEnabled(true)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        let requests = await world.server.requests.count
        #expect(try await client.messages(in: "Offers").error?.numericCode == 403)
        #expect(try await client.messages(in: "Nowhere").error?.numericCode == 404)
        await client.waitUntilIdle()
        #expect(await world.server.requests.count == requests)
        let next = try await world.restart()
        #expect(try await next.messages(in: "Offers").error?.code == .messageCenterDisabled)
        await world.server.changeInbox { $0.centers = ["Primary": false, "Offers": true] }
        try await next.refreshMessageCenters()
        #expect(try await next.messages().error?.code == .messageCenterDisabled)
        #expect(try await next.messages(in: "Offers").error == nil)
        await world.kill()
    }

    @Test("MC-10: an earlier server does not say why a center is missing, so it is asked, once")
    func earlier() async throws {
        let world = try World()
        await world.server.changeInbox {
            $0.isEarlier = true
            $0.centers["Offers"] = false
        }
        let client = try await world.startCenters()
        #expect(try await client.messages(in: "Offers").error?.code == .messageCenterFailure)
        await client.waitUntilIdle()
        #expect(try await client.messages(in: "Offers").error?.code == .messageCenterDisabled)
        await world.kill()
    }
}
