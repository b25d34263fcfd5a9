import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Fetching the message centers and keeping what was fetched.
struct MessageCenterSyncTests {
    @Test("MC-1, MC-6: off by default, then nothing is fetched; on, the center is served from the device")
    func onAndOff() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let contact = try #require(await world.server.contact)
        await world.server.keep(for: contact)
        try await world.advance(by: 3_600)
        #expect(await world.server.count(FakeServer.fetch) == 0)
        #expect(try await world.centerError()?.code == .notEnabled)
        try await client.engine.messageCenter.setEnabled(true)
        await client.waitUntilIdle()
        #expect(try await world.listed() == ["message-1"])
        #expect(try await world.centerError() == nil)
        #expect(try await client.engine.messageCenter.unreadCount(in: nil) == 1)
        let before = await world.server.requests.count
        _ = try await world.listed()
        #expect(await world.server.requests.count == before)
        try await client.engine.messageCenter.setEnabled(false)
        #expect(try await world.listed().isEmpty)
        let store = try client.recorder.storage.opened().store
        #expect(try store.centerMessageIDs().isEmpty)
        #expect(try await client.engine.messageCenter.unreadCount(in: nil) == 0)
        await world.kill()
    }

    @Test("MC-4: at the first launch, then every five minutes while the app is shown; on reopen only if due")
    func interval() async throws {
        let world = try World()
        let client = try await world.startCenters()
        var fetches = await world.server.count(FakeServer.fetch)
        for _ in 0..<12 {
            try await world.advance(by: 300)
            fetches += 1
            #expect(await world.server.count(FakeServer.fetch) == fetches)
        }
        try await client.didEnterBackground()
        try await world.advance(by: 86_400)
        #expect(await world.server.count(FakeServer.fetch) == fetches)
        for _ in 0..<3 {
            try await client.didEnterForeground()
            await client.waitUntilIdle()
            try await client.didEnterBackground()
            try await world.advance(by: 60)
        }
        fetches += 1
        #expect(await world.server.count(FakeServer.fetch) == fetches)
        try await world.restart()
        await world.settle()
        #expect(await world.server.count(FakeServer.fetch) == fetches, "not due after a relaunch either")
        try await world.advance(by: 121)
        #expect(await world.server.count(FakeServer.fetch) == fetches + 1)
        await world.kill()
    }

    @Test("MC-4: the interval is the app's choice")
    func setInterval() async throws {
        let world = try World { $0.messageCenterInterval = 3_600 }
        try await world.startCenters()
        let fetches = await world.server.count(FakeServer.fetch)
        try await world.advance(by: 3_599)
        #expect(await world.server.count(FakeServer.fetch) == fetches)
        try await world.advance(by: 1)
        #expect(await world.server.count(FakeServer.fetch) == fetches + 1)
        await world.kill()
    }

    @Test("MC-4: a push for a center makes it due at once, even when the app is not shown, and over a kill")
    func push() async throws {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.keep(for: "anna")
        try await client.engine.push.noticed(centerPush("S-1", sync: true))
        await client.waitUntilIdle()
        #expect(try await world.listed() == ["message-1"])
        try await client.didEnterBackground()
        await client.waitUntilIdle()
        await world.server.keep(for: "anna")
        try await client.engine.push.noticed(centerPush("S-2"))
        await client.waitUntilIdle()
        #expect(try await world.listed().count == 1)
        try await client.engine.push.noticed(centerPush("S-3", sync: true))
        await world.kill()
        try await world.start(inForeground: false)
        await world.settle()
        #expect(try await world.listed() == ["message-2", "message-1"])
        await world.kill()
    }

    @Test("MC-5, MC-8: the device has what the server lists, with every property")
    func listed() async throws {
        let world = try World()
        let client = try await world.startCenters()
        let expires = world.clock.now.addingTimeInterval(864_000)
        await world.server.keep(for: "anna", html: "<p>") { message in
            message.subject = "Häl%lo"
            message.deeplinkURL = "app://a b?x=1&y=ü"
            message.expiresAt = expires
            message.custom = ["sku": .string("42"), "vip": .boolean(true)]
        }
        for _ in 0..<25 { await world.server.keep(for: "anna") }
        await world.server.changeInbox { $0.centers["Offers"] = true }
        let offer = await world.server.keep(for: "anna") { $0.center = "Offers" }
        try await client.engine.messageCenter.refresh()
        #expect(try await world.listed().count == 20)
        #expect(try await world.listed("Offers") == [offer])
        #expect(try await client.engine.messageCenter.unreadCount(in: nil) == 21)
        #expect(try await client.engine.messageCenter.unreadCount(in: "Offers") == 1)
        await world.server.changeInbox { inbox in
            for number in 2...10 { inbox.forget("message-\(number + 10)", of: "anna") }
        }
        try await client.engine.messageCenter.refresh()
        let message = try #require(try await client.engine.messageCenter.messages(in: "Primary").messages.last)
        #expect(message.id == "message-1" && message.body.subject == "Häl%lo" && message.expiresAt == expires)
        #expect(message.body.deeplinkURL.flatMap(WireURL.decoded) == "app://a b?x=1&y=ü")
        #expect(message.body.custom == ["sku": .string("42"), "vip": .boolean(true)])
        #expect(message.body.hasRichContent && message.state == .unread)
        await world.kill()
    }

    @Test("MC-7: a message that is not fetched again is removed after the retention, or at its expiry if earlier")
    func retention() async throws {
        let world = try World { $0.messageCenterRetention = 7 * 86_400 }
        let client = try await world.startCenters()
        let expires = world.clock.now.addingTimeInterval(86_400)
        await world.server.keep(for: "anna") { $0.expiresAt = expires }
        await world.server.keep(for: "anna", html: "<p>rich</p>")
        try await client.engine.messageCenter.refresh()
        _ = try await client.engine.messageCenter.richContent(for: "message-2")
        await world.server.set(isOffline: true)
        try await world.advance(by: 86_399)
        #expect(try await world.listed().count == 2)
        try await world.advance(by: 1)
        #expect(try await world.listed() == ["message-2"])
        try await world.advance(by: 6 * 86_400 - 2)
        #expect(try await world.listed() == ["message-2"])
        #expect(try await client.engine.messageCenter.richContent(for: "message-2") == "<p>rich</p>")
        try await world.advance(by: 2)
        #expect(try await world.listed().isEmpty)
        let store = try client.recorder.storage.opened().store
        try await world.advance(by: 900)
        #expect(try store.centerMessageIDs().isEmpty, "it is removed, and not only hidden")
        #expect(try store.richContent(of: "message-2", now: .distantPast) == nil)
        await world.kill()
    }

    @Test("MC-7: rich content outlasts its message's listing by the retention; a clock set back adds nothing")
    func richRetention() async throws {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.keep(for: "anna", html: "<p>rich</p>")
        try await client.engine.messageCenter.refresh()
        _ = try await client.engine.messageCenter.richContent(for: "message-1")
        try await world.advance(by: 10 * 86_400)
        await world.server.changeInbox { $0.forget("message-1", of: "anna") }
        try await client.engine.messageCenter.refresh()
        #expect(try await world.listed().isEmpty)
        await client.waitUntilIdle()
        world.clock.advance(by: -5 * 86_400)
        // The device notices it at its next step.
        try await client.networkReturns()
        await client.waitUntilIdle()
        try await world.advance(by: 15 * 86_400 - 60)
        #expect(try await client.engine.messageCenter.richContent(for: "message-1") == "<p>rich</p>")
        try await world.advance(by: 400)
        let store = try client.recorder.storage.opened().store
        #expect(try store.richContent(of: "message-1", now: .distantPast) == nil)
        await world.kill()
    }

    @Test(
        "MC-11: an update names the centers with new messages; the response is unchanged, with its address")
    func feed() async throws {
        let world = try World()
        let client = try await world.startCenters()
        let updates = client.engine.feeds.centerUpdates.listen()
        let responses = client.engine.feeds.centerResponses.listen()
        await world.server.changeInbox { $0.centers["Offers"] = true }
        await world.server.keep(for: "anna") { $0.center = "Offers" }
        await world.server.keep(for: "anna")
        for _ in 0..<2 { try await client.engine.messageCenter.refresh() }
        await world.server.keep(for: "anna")
        try await client.engine.messageCenter.refresh()
        await client.stop()
        var notified: [[String]] = []
        for await update in updates { notified.append(update.centers) }
        #expect(notified == [["Offers", "Primary"], ["Primary"]])
        var bodies: [Data] = []
        for await response in responses {
            #expect(response.url.absoluteString == "https://push.example.com/v3/apps/shop/client/message-centers")
            bodies.append(response.json)
        }
        let answers = world.wire.attempts(FakeServer.fetch).compactMap { $0.answer?.body }
        #expect(bodies == Array(answers.suffix(3)))
    }

    @Test("MC-1, REG-14: a file of the first version is migrated, and nothing in it is lost")
    func migration() async throws {
        let world = try World()
        let client = try world.make()
        try await client.track("old")
        try client.recorder.storage.opened().store.access { db in
            try db.execute(
                sql: """
                    DROP TABLE center_message; DROP TABLE rich_content; DROP TABLE message_state;
                    DROP TABLE in_app_message; DROP TABLE rich_report;
                    ALTER TABLE set_aside DROP COLUMN tracked_at;
                    PRAGMA user_version = 1
                    """
            )
        }
        await world.kill()
        let next = try await world.startCenters()
        await world.server.keep(for: "anna")
        try await next.engine.messageCenter.refresh()
        try await next.flush()
        #expect(await world.server.tracked.map(\.name) == ["old"])
        #expect(try await world.listed().count == 1)
        #expect(try await next.state().messageCenter.isEnabled)
        await world.kill()
    }

    @Test("REG-36: a wipe leaves no message and no setting")
    func wipe() async throws {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.keep(for: "anna", html: "wipe-me") { $0.subject = "wipe-me" }
        try await client.engine.messageCenter.refresh()
        _ = try await client.engine.messageCenter.richContent(for: "message-1")
        await world.server.set(isOffline: true)
        try await client.engine.messageCenter.setState(.read, of: "message-1")
        try await client.wipe()
        #expect(try await world.centerError()?.code == .resting)
        let store = try client.recorder.storage.opened().store
        #expect(try store.pendingStates().count == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: world.directory.path) {
            let data = try Data(contentsOf: world.directory.appendingPathComponent(name))
            for word in ["wipe-me", "message-1"] {
                #expect(data.range(of: Data(word.utf8)) == nil, "\(word) is in \(name)")
            }
        }
        #expect(try await !client.engine.messageCenter.isEnabled)
        await world.kill()
    }
}
