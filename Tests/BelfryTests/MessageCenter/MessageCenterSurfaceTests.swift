import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// The message center and the badge as an app calls them.
@Suite(.timeLimit(.minutes(15)))
struct MessageCenterSurfaceTests {
    /// A device whose message center is on, and its contact.
    private func open(_ world: World) async throws -> (client: BelfryClient, contact: String) {
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.setMessageCenterEnabled(true)
        await client.waitUntilIdle()
        return (client, try #require(await world.server.contact))
    }

    @Test("MC-8: a message has every property of the table, its addresses decoded and its dates read")
    func properties() async throws {
        let world = try World()
        let (client, contact) = try await open(world)
        let id = await world.server.keep(for: contact, html: "<p>Hi</p>") { message in
            message.subject = "Café"
            message.message = "50 % off"
            message.iconURL = "https://example.com/i.png?a=1&b=ü%20"
            message.deeplinkURL = "app://offer/42"
            message.richURL = "https://example.com/r"
            message.expiresAt = message.sentAt + 3_600
            message.custom = ["sku": "42", "price": 9.5, "new": true]
        }
        try await client.refreshMessageCenters()
        let list = try await client.messages()
        #expect(list.error == nil && list.fetchedAt == world.clock.now && list.count == 1)
        let message = try #require(list.first)
        #expect(message.id == id && message.subject == "Café" && message.message == "50 % off")
        #expect(message.messageCenterName == "Primary" && message.state == .unread && message.isUnread)
        // An escape stays what it is beside a letter that needs one.
        #expect(message.iconURL?.absoluteString == "https://example.com/i.png?a=1&b=%C3%BC%20")
        #expect(message.deeplinkURL?.absoluteString == "app://offer/42")
        #expect(message.richMessageURL?.absoluteString == "https://example.com/r")
        #expect(message.sentTimestamp == World.epoch && message.expiryTimestamp == World.epoch + 3_600)
        #expect(message.customKeyValuePairs == ["sku": "42", "price": 9.5, "new": true])
        #expect(message.hasRichContent && message.richMessageHTML == nil)
        #expect(try await client.richContent(for: id) == "<p>Hi</p>")
        #expect(try await client.messages().first?.richMessageHTML == "<p>Hi</p>")
        await world.kill()
    }

    @Test("MC-8: absent fields of a message are not made up, and an invalid address is left out")
    func least() async throws {
        let world = try World()
        let (client, contact) = try await open(world)
        await world.server.keep(for: contact) { $0.deeplinkURL = "" }
        try await client.refreshMessageCenters()
        let message = try #require(try await client.messages().first)
        #expect(message.iconURL == nil && message.deeplinkURL == nil && message.richMessageURL == nil)
        #expect(message.expiryTimestamp == nil && message.customKeyValuePairs.isEmpty && !message.hasRichContent)
        await world.kill()
    }

    @Test("MC-2: the app gets the centers that the server lists, in its order, each with its label")
    func listedCenters() async throws {
        let world = try World()
        let client = try await world.start()
        #expect(try await client.messageCenters.isEmpty)
        try await client.setMessageCenterEnabled(true)
        await world.server.changeInbox { inbox in
            inbox.centers = ["Primary": true, "news": true, "old": false]
            inbox.labels = ["news": "What is new", "old": "Old"]
        }
        await client.waitUntilIdle()
        try await client.refreshMessageCenters()
        let listed = [ListedMessageCenter(name: "Primary"), ListedMessageCenter(name: "news", label: "What is new")]
        #expect(try await client.messageCenters == listed)
        #expect(listed.map(\.title) == ["Primary", "What is new"])
        let next = try await world.restart()
        #expect(try await next.messageCenters == listed)
        await world.server.changeInbox { $0.labels = ["Primary": String(repeating: "x", count: 100)] }
        try await next.refreshMessageCenters()
        #expect(try await next.messageCenters.map(\.label) == [String(repeating: "x", count: 64), nil])
        try await next.setMessageCenterEnabled(false)
        #expect(try await next.messageCenters.isEmpty)
        await world.kill()
    }

    @Test("MC-1: off by default; turned off, all fetched messages are removed, and calls say so")
    func enabling() async throws {
        let world = try World()
        let (client, contact) = try await open(world)
        let id = await world.server.keep(for: contact, html: "<p>Hi</p>")
        try await client.refreshMessageCenters()
        #expect(try await client.isMessageCenterEnabled)
        #expect(try await client.messages().count == 1)
        try await client.setMessageCenterEnabled(false)
        #expect(try await !client.isMessageCenterEnabled)
        let list = try await client.messages()
        #expect(list.isEmpty && list.error?.code == .notEnabled)
        #expect(try await client.unreadCount() == 0)
        let calls: [@Sendable (BelfryClient) async throws -> Void] = [
            { try await $0.markRead(id) },
            { try await $0.delete(id) },
            { try await $0.refreshMessageCenters() },
            { _ = try await $0.richContent(for: id) },
        ]
        for call in calls {
            let error = await fault { try await call(client) }
            #expect(error?.code == .notEnabled)
        }
        await world.kill()
        #expect(try await !world.start().isMessageCenterEnabled)
        await world.kill()
    }

    @Test("MC-14: read and deleted are visible at once, unread counts agree, and unknown ids are refused")
    func states() async throws {
        let world = try World()
        let (client, contact) = try await open(world)
        await world.server.changeInbox { $0.centers["Offers"] = true }
        for number in 0..<4 {
            await world.server.keep(for: contact) { $0.center = number < 3 ? "Primary" : "Offers" }
        }
        try await client.refreshMessageCenters()
        #expect(try await client.unreadCount() == 4)
        #expect(try await client.unreadCount(in: "Primary") == 3)
        #expect(try await client.unreadCount(in: "Offers") == 1)
        try await client.markRead("message-1")
        try await client.delete("message-2")
        #expect(try await client.unreadCount(in: "Primary") == 1)
        let list = try await client.messages()
        #expect(Set(list.map(\.id)) == ["message-1", "message-3"])
        #expect(list.first { $0.id == "message-1" }?.state == .read)
        let error = await fault { try await client.markRead("another") }
        #expect(error?.code == .unknownMessage && error?.numericCode == 404)
        await client.waitUntilIdle()
        // Nobody is logged in: the messages are the installation's.
        let holder = FakeInbox.holder(contact, try await world.state.id.rawValue)
        let stored = await world.server.inbox.messages[holder, default: []].map(\.state)
        #expect(stored == [.read, .deleted, .unread, .unread])
        await world.kill()
    }

    @Test("BADGE-2, BADGE-3, BADGE-4: the server first; on any error the badge stays, and below 0 is refused")
    func badge() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.setBadgeCount(7)
        #expect(try await client.badgeCount == 7)
        let negative = await fault { try await client.setBadgeCount(-1) }
        #expect(negative?.code == .invalidBadge)
        await world.server.script(FakeServer.putBadge, .lost, .answer(FakeServer.error(503, "busy")))
        for code in [MessageCenterError.Code.noNetwork, .serverUnavailable] {
            let error = await fault { try await client.setBadgeCount(3) }
            #expect(error?.code == code)
            #expect(try await client.badgeCount == 7)
            world.clock.advance(by: 3_600)
            await client.waitUntilIdle()
        }
        try await client.setBadgeCount(1_000)
        #expect(try await client.badgeCount == 99)
        try await client.resetBadgeCount()
        #expect(try await client.badgeCount == 0)
        await world.kill()
    }

    private func fault(_ call: () async throws -> Void) async -> MessageCenterError? {
        do {
            try await call()
            return nil
        } catch {
            return error as? MessageCenterError
        }
    }
}

extension MessageCenterSurfaceTests {
    private func push(_ sid: String, sync: [String]? = nil, badge: Badge? = nil) throws -> ReceivedPush {
        try #require(ReceivedPush(payload: PushPayload(sid: sid, sync: sync, badge: badge)))
    }

    @Test("MC-4: a push about a new message makes the centers due at once, once, silent or not")
    func due() async throws {
        let world = try World()
        let (client, contact) = try await open(world)
        let before = await world.server.count(FakeServer.fetch)
        await world.server.keep(for: contact)
        try await client.handlePush(push("S-1"))
        await client.waitUntilIdle()
        #expect(await world.server.count(FakeServer.fetch) == before)
        let telling = try push("S-2", sync: ["inApp", "messageCenter"])
        for _ in 0..<3 {
            try await client.handlePush(telling)
            await client.waitUntilIdle()
        }
        #expect(await world.server.count(FakeServer.fetch) == before + 1)
        #expect(try await client.messages().count == 1)
        await world.kill()
    }

    @Test("MC-4, PUSH-22: a kill between the push and its record loses neither")
    func dueAfterDeath() async throws {
        let calm = try World()
        _ = try await open(calm)
        let first = calm.mortality.writes.count
        await calm.kill()
        for write in (first + 1)...(first + 2) {
            for instant in Mortality.Instant.allCases {
                let world = try World()
                let (client, contact) = try await open(world)
                await world.server.keep(for: contact)
                world.mortality.doom(write: write, instant)
                let telling = try push("S-1", sync: ["messageCenter"])
                _ = try? await client.handlePush(telling)
                await world.kill()
                world.mortality.revive()
                let next = try await world.start()
                try await next.handlePush(telling)
                await next.waitUntilIdle()
                #expect(try await next.messages().count == 1, "\(instant.rawValue) \(write)")
                await world.kill()
            }
        }
    }

    @Test("BADGE-5, ID-4: the badge with the greater revision is adopted from a push, and none from another person's")
    func badgeOfPush() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.handlePush(push("S-1", badge: Badge(count: 5, revision: 3)))
        #expect(try await client.badgeCount == 5)
        try await client.handlePush(push("S-2", badge: Badge(count: 4, revision: 2)))
        #expect(try await client.badgeCount == 5)
        try await client.handlePush(push("S-3", badge: Badge(count: 0, revision: 4)))
        #expect(try await client.badgeCount == 0)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        try await client.logout()
        await client.waitUntilIdle()
        let stray = PushPayload(sid: "S-4", to: FakeServer.tag(of: "anna"), badge: Badge(count: 9, revision: 90))
        try await client.handlePush(ReceivedPush(payload: stray))
        #expect(try await client.badgeCount == 0)
        await world.kill()
    }
}
