import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// From a push that was opened to the message that was kept with it.
@Suite(.timeLimit(.minutes(15)))
struct PushMessageTests {
    /// A campaign keeps a message for a contact.
    ///
    /// - Returns: its id, which names the campaign.
    @discardableResult
    private func keep(
        _ campaign: Int64, for contact: String = "anna", center: String = "Primary", in world: World
    ) async throws -> String {
        let number = try #require(CampaignID(campaign))
        let id = MessageID(campaign: number, digest: Array(contact.utf8) + [UInt8](repeating: 7, count: 10)).text
        return await world.server.keep(for: contact) { message in
            message.id = id
            message.center = center
        }
    }

    private func push(_ campaign: String?, to tag: String? = nil) throws -> ReceivedPush {
        let payload = PushPayload(
            sid: "S-1", campaign: campaign, to: tag, action: NotificationAction(type: .openRichMessage)
        )
        return try #require(ReceivedPush(payload: payload, title: "Hello", body: "World"))
    }

    @Test("CAMP-6, MC-3: a push that is opened before its message was fetched finds it by one fetch, then without")
    func opened() async throws {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.changeInbox { $0.centers["Offers"] = true }
        try await keep(6, in: world)
        let id = try await keep(7, center: "Offers", in: world)
        let tapped = try push("7", to: FakeServer.tag(of: "anna"))
        let fetches = await world.server.count(FakeServer.fetch)
        try await client.pushOpened(tapped)
        let message = try #require(try await client.message(for: tapped))
        #expect(message.id == id && message.messageCenterName == "Offers" && message.isUnread)
        #expect(await world.server.count(FakeServer.fetch) == fetches + 1)
        await client.waitUntilIdle()
        let requests = await world.server.requests.count
        #expect(try await client.message(for: tapped)?.id == id)
        #expect(await world.server.requests.count == requests)
        await world.kill()
    }

    @Test("CAMP-6: a push of a campaign without a message opens none, nor one whose message was deleted")
    func nothingKept() async throws {
        let world = try World()
        let client = try await world.startCenters()
        let id = try await keep(7, in: world)
        try await client.refreshMessageCenters()
        let fetches = await world.server.count(FakeServer.fetch)
        #expect(try await client.message(for: push("8")) == nil)
        #expect(await world.server.count(FakeServer.fetch) == fetches + 1)
        for campaign in [nil, "", "none", "-1"] {
            #expect(try await client.message(for: push(campaign)) == nil)
        }
        #expect(await world.server.count(FakeServer.fetch) == fetches + 1, "they name no campaign")
        try await client.delete(id)
        #expect(try await client.message(for: push("7")) == nil)
        await world.kill()
    }

    @Test("MC-15: a push that came while nobody was logged in opens after a login, read and deleted like any other")
    func beforeLogin() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.setMessageCenterEnabled(true)
        await client.waitUntilIdle()
        let anonymous = try #require(await world.server.contact)
        let id = try await keep(7, for: anonymous, in: world)
        let device = try await world.state.id.rawValue
        await world.server.changeInbox { inbox in
            guard var message = inbox.message(id, of: device) else { return }
            inbox.forget(id, of: device)
            message.html = "<p>rich</p>"
            inbox.keep(message, for: device)
        }
        // The sid of a push names its campaign, as its message's id does.
        let payload = PushPayload(
            sid: id, campaign: "7", to: FakeServer.tag(of: anonymous),
            action: NotificationAction(type: .openRichMessage)
        )
        let tapped = try #require(ReceivedPush(payload: payload, title: "Hello", body: "World"))
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        #expect(try await client.messages().isEmpty)
        let message = try #require(try await client.message(for: tapped))
        #expect(message.id == id && message.isUnread && message.hasRichContent)
        #expect(try await client.richContent(for: id) == "<p>rich</p>")
        // No list shows it, and no fetch removes it.
        try await client.refreshMessageCenters()
        #expect(try await client.messages().isEmpty)
        #expect(try await client.unreadCount() == 0)
        try await client.markRead(id)
        await client.waitUntilIdle()
        #expect(try await client.message(for: tapped)?.state == .read)
        #expect(await world.server.inbox.message(id, of: device)?.state == .read)
        #expect(await world.server.inbox.isConfirmed(id, by: device))
        try await client.delete(id)
        #expect(try await client.message(for: tapped) == nil)
        // A logout shows what the installation has.
        try await keep(8, for: device, in: world)
        try await client.logout()
        await client.waitUntilIdle()
        #expect(try await client.messages().count == 1)
        #expect(try await client.message(for: tapped) == nil)
        await world.kill()
    }

    @Test("ID-4, MC-12: a push for a former person opens no message, whatever the present one has")
    func formerPerson() async throws {
        let world = try World()
        let client = try await world.startCenters()
        try await keep(7, in: world)
        let id = try await keep(7, for: "bert", in: world)
        try await client.identify(contactKey: "bert")
        await client.waitUntilIdle()
        let requests = await world.server.requests.count
        #expect(try await client.message(for: push("7", to: FakeServer.tag(of: "anna"))) == nil)
        #expect(await world.server.requests.count == requests)
        #expect(try await client.message(for: push("7", to: FakeServer.tag(of: "bert")))?.id == id)
        await world.kill()
    }

    @Test("ID-4, MC-12: if the person leaves during the fetch, no message is opened")
    func leavingDuringFetch() async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        try await client.setMessageCenterEnabled(true)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        try await keep(7, in: world)
        try await keep(7, for: "bert", in: world)
        let tapped = try push("7", to: FakeServer.tag(of: "anna"))
        await gate.shut()
        async let message = client.message(for: tapped)
        await gate.holdsOne()
        try await client.identify(contactKey: "bert")
        await gate.open()
        #expect(try await message == nil)
        await client.stop()
    }

    @Test("MC-10: if the message of a push cannot be fetched, that is an error; a stored one needs no network")
    func faults() async throws {
        let world = try World()
        let client = try world.make()
        let tapped = try push("7")
        let call: @Sendable () async throws(MessageCenterError) -> Void = { () async throws(MessageCenterError) in
            _ = try await client.message(for: tapped)
        }
        #expect(await thrownCenterError(call)?.code == .notEnabled)
        try await client.setMessageCenterEnabled(true)
        #expect(await thrownCenterError(call)?.code == .invalidURL)
        try await client.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        await world.server.set(isOffline: true)
        #expect(await thrownCenterError(call)?.code == .noNetwork)
        await world.server.set(isOffline: false)
        let id = try await keep(7, in: world)
        try await world.advance(by: 300)
        await world.server.set(isOffline: true)
        #expect(try await client.message(for: tapped)?.id == id)
        try await client.wipe()
        #expect(await thrownCenterError(call)?.code == .resting)
        await client.stop()
        #expect(await thrownCenterError(call)?.code == .stopped)
    }
}
