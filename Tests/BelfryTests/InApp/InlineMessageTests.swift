import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

/// Messages that have their place in the app's own views (IAM-12).
struct InlineMessageTests {
    private func world(_ change: @Sendable (inout FakeInApp.Campaign) -> Void = { _ in }) async throws -> World {
        let world = try World()
        try await world.startInApp()
        await world.server.publish { campaign in
            campaign.type = "inline"
            campaign.trigger = nil
            campaign.viewID = "Home"
            campaign.displayLimit = 2
            campaign.content = #"""
                {"title":"Hi","buttons":[{"id":"no","text":"No","action":{"type":"close"}},
                {"id":"go","text":"Go","action":{"type":"openUrl","url":"https://example.com"}}]}
                """#
            change(&campaign)
        }
        try await world.client.refreshInAppMessages()
        return world
    }

    @Test(
        "IAM-12, IAM-9: found by its view id in any case, counted once in a session, with its time and its clicks")
    func story() async throws {
        let world = try await world()
        let client = try world.client
        #expect(try await client.inlineMessage(viewID: "other") == nil)
        let inline = try #require(try await client.inlineMessage(viewID: "hOME"))
        #expect(inline.html.contains("Hi") && inline.html.contains(inline.display.nonce))
        try await client.inlineMessageShown(inline)
        try await client.inlineMessageShown(inline)
        world.clock.advance(by: 6)
        let engine = client.engine
        #expect(try await !engine.inApp.inlineSaid(.click(buttonID: "go"), inline.inlineID))
        try await client.inlineMessageClosed(inline)
        try await client.inlineMessageClosed(inline)
        let again = try #require(try await client.inlineMessage(viewID: "home"))
        try await client.inlineMessageShown(again)
        #expect(try await engine.inApp.inlineSaid(.click(buttonID: "no"), again.inlineID))
        #expect(try await client.inlineMessage(viewID: "home") == nil, "the person closed it")
        await world.settleScreen()
        #expect(world.links.urls == ["https://example.com"])
        #expect(try await world.reported(.inAppViewed).count == 1)
        #expect(try await world.reported(.inAppClick).map { $0["buttonId"] } == ["go", "no"])
        #expect(try await world.reported(.inAppDismiss).map { $0["how"] } == ["replaced", "button"])
        #expect(try await world.reported(.inAppDismiss).map { $0["seconds"] } == [6, 0])
        // The next session, and the last display of two.
        try await world.comeBack(after: 100)
        let last = try #require(try await client.inlineMessage(viewID: "home"))
        try await client.inlineMessageShown(last)
        try await client.inlineMessageClosed(last)
        try await world.comeBack(after: 100)
        #expect(try await client.inlineMessage(viewID: "home") == nil)
        #expect(try await client.inAppMessages.isEmpty)
        await world.kill()
    }

    @Test(
        "IAM-8: a view that stays over several sessions counts in each, and is emptied at the limit",
        .timeLimit(.minutes(10)))
    func stays() async throws {
        let world = try await world()
        let client = try world.client
        let inline = try #require(try await client.inlineMessage(viewID: "home"))
        try await client.inlineMessageShown(inline)
        async let ended: Void = client.inlineMessageEnded(inline)
        world.clock.advance(by: 5)
        try await world.comeBack(after: 100)
        try await client.inlineMessageShown(inline)
        #expect(try await world.reported(.inAppViewed).count == 2, "the second session, and the last display")
        #expect(try await world.reported(.inAppDismiss).isEmpty)
        try await world.comeBack(after: 100)
        await ended
        #expect(try await client.inlineMessage(viewID: "home") == nil)
        #expect(try await world.reported(.inAppViewed).count == 2)
        #expect(try await world.reported(.inAppDismiss).map { $0["how"] } == ["replaced"])
        await world.kill()
    }

    @Test(
        "IAM-8: a view whose message is ready when the last display is used stays empty", .timeLimit(.minutes(10))
    )
    func late() async throws {
        let world = try await world { $0.displayLimit = 1 }
        let client = try world.client
        let first = try #require(try await client.inlineMessage(viewID: "home"))
        let late = try #require(try await client.inlineMessage(viewID: "home"))
        try await client.inlineMessageShown(first)
        async let ended: Void = client.inlineMessageEnded(late)
        try await world.comeBack(after: 100)
        try await client.inlineMessageShown(late)
        await ended
        #expect(try await world.reported(.inAppViewed).count == 1)
        await world.kill()
    }

    @Test(
        "IAM-12: an empty view is told about a new message, and about a new session", .timeLimit(.minutes(10)))
    func updates() async throws {
        let world = try World()
        try await world.startInApp()
        let client = try world.client
        var updates = client.inlineMessageUpdates.makeAsyncIterator()
        #expect(try await client.inlineMessage(viewID: "home") == nil)
        await world.server.publish { campaign in
            campaign.type = "inline"
            campaign.trigger = nil
            campaign.viewID = "home"
        }
        try await client.refreshInAppMessages()
        #expect(await updates.next() != nil)
        let inline = try #require(try await client.inlineMessage(viewID: "home"))
        #expect(try await client.engine.inApp.inlineSaid(.close(.close), inline.inlineID))
        #expect(try await client.inlineMessage(viewID: "home") == nil, "the person closed it")
        try await world.comeBack(after: 100)
        #expect(await updates.next() != nil)
        #expect(try await client.inlineMessage(viewID: "home") != nil)
        await world.kill()
    }

    @Test("IAM-12: an empty view is told when a message's time begins", .timeLimit(.minutes(10)))
    func begins() async throws {
        let start = World.epoch.addingTimeInterval(3_600)
        let world = try await world { $0.startsAt = start }
        let client = try world.client
        await world.settleScreen()
        var updates = client.inlineMessageUpdates.makeAsyncIterator()
        world.clock.advance(by: 3_599)
        await world.settleScreen()
        #expect(try await client.inlineMessage(viewID: "home") == nil)
        world.clock.advance(by: 1)
        #expect(await updates.next() != nil)
        #expect(try await client.inlineMessage(viewID: "home") != nil)
        await world.kill()
    }

    @Test("IAM-11: another person's page is ignored")
    func another() async throws {
        let world = try await world()
        let client = try world.client
        let inline = try #require(try await client.inlineMessage(viewID: "home"))
        async let ended: Void = client.inlineMessageEnded(inline)
        try await client.identify(contactKey: "bert")
        await ended
        try await client.inlineMessageShown(inline)
        #expect(try await client.engine.inApp.inlineSaid(.click(buttonID: "go"), inline.inlineID), "its view goes")
        await world.settleScreen()
        #expect(world.links.urls.isEmpty)
        #expect(try await world.reported(.inAppViewed).isEmpty)
        await world.kill()
    }

    @Test("IAM-10: a recalled message ends at once; so does a wait for one that has already ended")
    func recalled() async throws {
        let world = try await world()
        let client = try world.client
        let inline = try #require(try await client.inlineMessage(viewID: "home"))
        async let ended: Void = client.inlineMessageEnded(inline)
        await world.server.recall(1)
        try await client.refreshInAppMessages()
        await ended
        await client.inlineMessageEnded(inline)
        #expect(try await client.inlineMessage(viewID: "home") == nil)
        await world.kill()
    }

    @Test("IAM-6: an inline message neither takes the screen nor makes another wait")
    func beside() async throws {
        let world = try await world()
        await world.server.publish()
        try await world.client.refreshInAppMessages()
        let inline = try #require(try await world.client.inlineMessage(viewID: "home"))
        try await world.client.inlineMessageShown(inline)
        try await world.track("cart:add")
        #expect(world.shownCampaign == "2")
        await world.kill()
    }
}
