import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

/// The app's decisions about its messages (IAM-7), and errors on a message's way to the screen.
struct InAppAppWordTests {
    private struct Torn: Error {}

    /// A world with one message on the device, which may be shown often.
    private func world(_ change: @Sendable (inout FakeInApp.Campaign) -> Void = { _ in }) async throws -> World {
        let world = try World { $0.inApp.minimumGap = 0 }
        try await world.startInApp()
        await world.server.publish { campaign in
            campaign.displayLimit = 3
            change(&campaign)
        }
        try await world.client.refreshInAppMessages()
        return world
    }

    private func fault(_ world: World, _ id: String) async throws -> InAppError? {
        let client = try world.client
        do throws(InAppError) {
            try await client.showInAppMessage(id: id)
            return nil
        } catch {
            return error
        }
    }

    @Test("IAM-7: a veto is for the occasion; a deferred message comes back when the app does")
    func vetoAndDefer() async throws {
        let world = try await world()
        let delegate = ScriptedDelegate { _ in .veto }
        try await world.client.setInAppDelegate(delegate)
        try await world.track("cart:add")
        #expect(world.screen.notes.prepared.isEmpty)
        try await world.comeBack(after: 5)
        #expect(delegate.notes.asked.count == 1)
        delegate.answers { _ in .defer }
        try await world.track("cart:add")
        #expect(delegate.notes.asked.count == 2 && world.screen.notes.prepared.isEmpty)
        delegate.answers { _ in .show }
        try await world.comeBack(after: 5)
        #expect(world.shownCampaign == "1" && delegate.notes.asked.count == 3)
        try await world.press(.close(.swipe))
        #expect(delegate.notes.shown == ["1"] && delegate.notes.closed == [.swipe])
        #expect(try await world.notShown() == ["vetoed", "deferred"])
        let message = try #require(try await world.client.inAppMessages.first)
        #expect(message.displayCount == 1, "neither counts as shown")
        await world.kill()
    }

    @Test("IAM-7: paused between the decision and the display, the message waits for the resume")
    func pausedMeanwhile() async throws {
        let world = try await world()
        let turnstile = try await world.hold(.loading)
        try await world.client.pauseInAppMessages()
        turnstile.open()
        await world.settleScreen()
        #expect(world.screen.notes.presented.isEmpty)
        #expect(try await world.client.isInAppPaused)
        try await world.client.resumeInAppMessages()
        await world.settleScreen()
        #expect(world.shownCampaign == "1")
        await world.kill()
    }

    @Test("IAM-7: a message can be shown by its id, whatever its trigger; an error says why it is not shown")
    func asked() async throws {
        let world = try await world { $0.displayLimit = 1 }
        let client = try world.client
        let id = try #require(try await client.inAppMessages.first).id
        #expect(try await fault(world, "nobody")?.code == .unknownMessage)
        try await client.pauseInAppMessages()
        let paused = try await fault(world, id)
        #expect(paused?.code == .notShown && paused?.reason == .paused)
        try await client.resumeInAppMessages()
        let delegate = ScriptedDelegate { _ in .veto }
        await client.setInAppDelegate(delegate)
        #expect(try await fault(world, id)?.reason == .vetoed)
        await client.setInAppDelegate(nil)
        world.screen.whenLoading { _ in throw Torn() }
        #expect(try await fault(world, id)?.reason == .loadFailed)
        world.screen.whenLoading(nil)
        world.screen.whenPresenting { _ in false }
        #expect(try await fault(world, id)?.reason == .noScreen)
        world.screen.whenPresenting(nil)
        try await client.showInAppMessage(id: id)
        #expect(world.screen.onScreen?.message.id == id)
        #expect(try await fault(world, id)?.reason == .exhausted(displays: 1, limit: 1))
        try await world.press(.close(.close))
        #expect(try await fault(world, id)?.code == .unknownMessage)
        #expect(try await world.reported(.inAppViewed).count == 1, "only what was really on the screen counts")
        await world.kill()
    }

    @Test("IAM-8: a page that takes too long is discarded, and the next occasion is open")
    func tooSlow() async throws {
        let world = try await world()
        let turnstile = try await world.hold(.loading)
        world.clock.advance(by: 61)
        try await eventually("it is given up") { try await world.client.engine.process.inApp.presentation == nil }
        world.screen.whenLoading(nil)
        try await world.track("cart:add")
        #expect(world.shownCampaign == "1")
        turnstile.open()
        await eventually("the late page is closed") { world.screen.notes.closed.count == 1 }
        #expect(world.screen.notes.presented.count == 1 && world.shownCampaign == "1")
        #expect(try await world.notShown() == ["loadFailed"])
        await world.kill()
    }

    @Test("IAM-12: a button does what the message says: the app first, else the SDK, by allowed schemes only")
    func actions() async throws {
        let world = try await world {
            $0.content = #"""
                {"title":"Hi","action":{"type":"openUrl","url":"https://example.com/tap"},"buttons":[
                {"id":"evil","text":"a","action":{"type":"openUrl","url":"javascript:alert(1)"}},
                {"id":"track","text":"b","action":{"type":"event","name":"rated","attributes":{"stars":5}}},
                {"id":"push","text":"c","action":{"type":"pushSettings"}}]}
                """#
            $0.displayLimit = 9
        }
        let delegate = ScriptedDelegate()
        try await world.client.setInAppDelegate(delegate)
        for button in ["evil", "track", "push", nil] {
            try await world.track("cart:add")
            world.screen.send(.click(buttonID: "unknown"))
            try await world.press(.click(buttonID: button))
        }
        #expect(world.links.urls == ["https://example.com/tap"])
        #expect(world.links.settings == 1)
        let handled = delegate.notes.handled.map(\.type)
        #expect(handled == [.event, .pushSettings, .openUrl], "no app is asked to run script")
        try await world.client.flush()
        let rated = await world.server.events.filter { $0.name == "rated" }
        #expect(rated.map(\.attributes) == [["stars": 5]])
        let clicks = try await world.reported(.inAppClick).map { $0["buttonId"] }
        #expect(clicks == ["evil", "track", "push", nil])
        let obliging = ScriptedDelegate(handles: true)
        try await world.client.setInAppDelegate(obliging)
        try await world.track("cart:add")
        try await world.press(.click(buttonID: nil))
        #expect(world.links.urls.count == 1, "the app did it")
        let client = try world.client
        await world.kill()
        #expect(await reports(of: client).contains(.inAppLinkRefused(campaignID: "1")))
    }

    @Test("IAM-12: a marketer's page tracks, links and closes; one that never stops sending commands is ignored")
    func html() async throws {
        let world = try await world {
            $0.type = "html"
            $0.content = #"{"html":"<p>Hi</p>"}"#
        }
        try await world.track("cart:add")
        world.screen.send(.event(name: "survey", attributes: ["answer": "yes"]))
        world.screen.send(.click(buttonID: "more"))
        world.screen.send(.openLink(url: "https://example.com/more"))
        world.screen.send(.click(buttonID: nil))
        world.screen.send(.openLink(url: "https://example.com/plain"))
        let engine = try world.client.engine
        for number in 1...300 {
            world.screen.send(.event(name: "noise", attributes: [:]))
            await eventually("it was heard") { await engine.process.inApp.presentation?.commands == number + 5 }
        }
        try await world.press(.close(.button))
        try await world.client.flush()
        let events = await world.server.events
        #expect(events.count { $0.name == "survey" } == 1)
        #expect(events.count { $0.name == "noise" } < 200)
        #expect(world.links.urls == ["https://example.com/more", "https://example.com/plain"])
        #expect(try await world.reported(.inAppClick).map { $0["buttonId"] } == ["more", nil])
        #expect(try await world.reported(.inAppDismiss).map { $0["how"] } == ["button"])
        await world.kill()
    }

    @Test("IAM-13: a message without a screen runs its actions once, and its events may trigger another")
    func action() async throws {
        let world = try await world {
            $0.type = "action"
            $0.displayLimit = 1
            $0.content = #"""
                {"actions":[{"type":"event","name":"cart:full"},{"type":"openUrl","url":"https://example.com"}]}
                """#
        }
        await world.server.publish { $0.trigger = #"{"event":"cart:full"}"# }
        try await world.client.refreshInAppMessages()
        let actions = try world.client.inAppActions
        for _ in 0..<2 { try await world.track("cart:add") }
        #expect(world.shownCampaign == "2")
        #expect(world.links.urls == ["https://example.com"])
        try await world.client.flush()
        #expect(await world.server.events.count { $0.name == "cart:full" } == 1)
        #expect(try await world.reported(.inAppViewed).map { $0["campaignId"] } == ["1", "2"])
        await world.kill()
        var heard: [InAppAction.Kind] = []
        for await report in actions { heard.append(report.action.type) }
        #expect(heard == [.event, .openUrl])
    }

    @Test("IAM-13, IAM-5: a message without a screen that comes with the session's first fetch runs its actions")
    func actionAtStart() async throws {
        let world = try World()
        await world.server.publish {
            $0.type = "action"
            $0.trigger = #"{"event":"session:start"}"#
            $0.content = #"{"actions":[{"type":"openUrl","url":"https://example.com"}]}"#
        }
        try await world.startInApp()
        await world.settleScreen()
        #expect(world.links.urls == ["https://example.com"])
        #expect(try await world.reported(.inAppViewed).map { $0["campaignId"] } == ["1"])
        await world.kill()
    }
}
