import BelfryModel
import BelfryObjC
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// The facade for Objective-C: the calls of document 001 with completion handlers, as plain Swift.
@Suite(.timeLimit(.minutes(15)))
struct ObjCFacadeTests {
    private func client(_ world: World) async throws -> BLFClient {
        let client = BLFClient(try world.make())
        #expect(await finished { client.start(completion: $0) } == nil)
        #expect(await finished { client.identify(contactKey: "anna", completion: $0) } == nil)
        #expect(await finished { client.setMessageCenterEnabled(true, completion: $0) } == nil)
        await client.client.waitUntilIdle()
        return client
    }

    /// The error of a call; nil when it succeeded.
    private func finished(_ call: (@escaping BLFClient.Completion) -> Void) async -> NSError? {
        await result { completion in call { completion($0) } }
    }

    private func result<Output>(_ call: (@escaping @Sendable (sending Output) -> Void) -> Void) async -> Output {
        await withCheckedContinuation { continuation in
            call { continuation.resume(returning: $0) }
        }
    }

    @Test("MC-1, MC-6, MC-9: the message center is turned on, and its messages and rich content are fetched")
    func messages() async throws {
        let world = try World()
        let client = try await client(world)
        await world.server.keep(for: "anna", html: "<p>Hi</p>") { $0.subject = "Hello" }
        #expect(await finished { client.refreshMessageCenters(completion: $0) } == nil)
        #expect(await result { done in client.isMessageCenterEnabled { isOn, _ in done(isOn) } })
        let messages = await result { (done: @escaping @Sendable (sending [BLFMessage]) -> Void) in
            client.fetchMessages(forMessageCenter: nil) { messages, _ in done(messages) }
        }
        let message = try #require(messages.first)
        #expect(message.subject == "Hello" && message.messageCenterName == "Primary")
        #expect(message.isUnread && message.hasRichContent && message.richMessageHTML == nil)
        let html = await result { (done: @escaping @Sendable (sending String?) -> Void) in
            client.fetchRichContent(forMessage: message.messageID) { html, _ in done(html) }
        }
        #expect(html == "<p>Hi</p>")
        #expect(await finished { client.markRead(message.messageID, completion: $0) } == nil)
        #expect(await finished { client.deleteMessage(message.messageID, completion: $0) } == nil)
        #expect(try await client.client.messages().isEmpty)
        #expect(await finished { client.stop(completion: $0) } == nil)
    }

    @Test("MC-10: an error has the domain and the number of the vendor's, beside the messages that are there")
    func errors() async throws {
        let world = try World()
        let client = try await client(world)
        await world.server.keep(for: "anna")
        #expect(await finished { client.refreshMessageCenters(completion: $0) } == nil)
        await world.server.set(isOffline: true)
        let offline = await finished { client.refreshMessageCenters(completion: $0) }
        #expect(offline?.domain == "Belfry.MessageCenter" && offline?.code == 5001)
        let (count, code) = await result { (done: @escaping @Sendable (sending (Int, Int?)) -> Void) in
            client.fetchMessages(forMessageCenter: nil) { done(($0.count, $1?.code)) }
        }
        #expect(count == 1 && code == 5001)
        let unknown = await finished { client.markRead("none", completion: $0) }
        #expect(unknown?.code == 404)
        let rejected = await finished { client.identify(contactKey: " ", completion: $0) }
        #expect(rejected?.domain == BLFClient.errorDomain && rejected?.localizedDescription.isEmpty == false)
        _ = await finished { client.stop(completion: $0) }
    }

    @Test("BADGE-2 to BADGE-4: the badge is set, read and reset; a number below 0 is refused")
    func badge() async throws {
        let world = try World()
        let client = try await client(world)
        #expect(await finished { client.setBadgeCount(5, completion: $0) } == nil)
        #expect(await result { done in client.getBadgeCount { count, _ in done(count) } } == 5)
        #expect(await finished { client.setBadgeCount(-1, completion: $0) }?.code == 6002)
        #expect(await finished { client.resetBadgeCount(completion: $0) } == nil)
        #expect(await result { done in client.getBadgeCount { count, _ in done(count) } } == 0)
        _ = await finished { client.stop(completion: $0) }
    }

    @Test("ENG-1 to ENG-3, EVT-1: displays, opens and events reach the server in the order of the calls")
    func engagement() async throws {
        let world = try World()
        let client = try await client(world)
        client.messageCenterViewWillAppear()
        client.trackMessageCenterDisplay("m-1")
        client.trackMessageCenterDisplay("m-1")
        client.trackMessageCenterOpen("m-1")
        client.messageCenterViewWillDisappear()
        let attributes: [String: Any] = ["sku": "42", "price": 9.5, "count": 3, "gift": true, "at": World.epoch]
        #expect(await finished { client.track("cart:add", attributes: attributes, completion: $0) } == nil)
        let bad = await finished { client.track("cart:add", attributes: ["list": [1]], completion: $0) }
        #expect(bad?.localizedDescription.contains("'list'") == true)
        try await client.client.messageCenterViewWillDisappear()
        try await client.client.flush()
        let events = await world.server.events
        #expect(events.filter { $0.name.hasPrefix("messageCenter") || $0.name.contains("message") }.count == 2)
        let tracked = try #require(events.first { $0.name == "cart:add" })
        #expect(tracked.attributes["sku"] == "42" && tracked.attributes["price"] == 9.5)
        #expect(tracked.attributes["gift"] == true && tracked.attributes["count"] == 3)
        _ = await finished { client.stop(completion: $0) }
    }

    @Test("PUSH-22: pushes are recorded, and their actions read; another sender's is none")
    func pushes() async throws {
        let world = try World()
        let client = try await client(world)
        #expect(BLFPush(userInfo: ["aps": ["alert": "Hi"]]) == nil)
        let push = try #require(
            BLFPush(userInfo: [
                "aps": ["alert": ["title": "Hello", "body": "World"]],
                "belfry": ["sid": "S-1", "action": ["type": "openUrl", "url": "shop://1"]] as [String: Any],
            ]))
        #expect(push.title == "Hello" && push.body == "World")
        #expect(push.actionType(button: nil) == "openUrl" && push.actionURL(button: nil) == "shop://1")
        #expect(push.actionType(button: "none") == nil)
        #expect(await finished { client.handlePush(push, completion: $0) } == nil)
        #expect(await finished { client.pushDisplayed(push, completion: $0) } == nil)
        #expect(await finished { client.pushOpened(push, button: nil, completion: $0) } == nil)
        #expect(await finished { client.pushDismissed(push, completion: $0) } == nil)
        #expect(await finished { client.setPushToken(Data([1, 2]), isSandbox: true, completion: $0) } == nil)
        #expect(await finished { client.logout(completion: $0) } == nil)
        try await client.client.flush()
        let names = await world.server.events.map(\.name).filter { $0.hasPrefix("push:") }
        #expect(names == ["push:received", "push:displayed", "push:click", "push:dismiss"])
        #expect(await world.server.pushToken == "0102")
        _ = await finished { client.stop(completion: $0) }
    }
}
