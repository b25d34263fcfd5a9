import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

/// In-app messages as an app calls them.
@Suite(.timeLimit(.minutes(15)))
struct InAppSurfaceTests {
    private func fault(_ call: () async throws -> Void) async -> InAppError? {
        do {
            try await call()
            return nil
        } catch {
            return error as? InAppError
        }
    }

    private func tell(_ world: World, _ push: String = "S-1") async throws {
        try await world.client.handlePush(inAppPush(push))
        await world.settleScreen()
    }

    @Test("IAM-3: a message has every property that was published, its dates read")
    func properties() async throws {
        let world = try World()
        let client = try await world.startInApp()
        await world.server.publish { campaign in
            campaign.trigger = #"{"event":"cart:add","where":{"attribute":"price","op":">","value":5},"occurrence":2}"#
            campaign.content = #"""
                {"title":"Hi","body":"You","imageUrl":"https://example.com/i.png","imageAlt":"A hat","layout":"titleImageBody",
                "colors":{"background":"#FFFFFF"},"buttons":[{"id":"yes","text":"Yes","action":{"type":"close"}}]}
                """#
            campaign.type = "bannerBottom"
            campaign.priority = 7
            campaign.startsAt = World.epoch - 60
            campaign.endsAt = World.epoch + 3_600
            campaign.displayLimit = 3
            campaign.delaySeconds = 5
        }
        try await client.refreshInAppMessages()
        let message = try #require(try await client.inAppMessages.first)
        #expect(message.campaignID == "1" && message.version == 1 && message.type == .bannerBottom)
        #expect(message.priority == 7 && message.displayLimit == 3 && message.displayCount == 0 && message.delay == 5)
        #expect(message.startsAt == World.epoch - 60 && message.endsAt == World.epoch + 3_600)
        let filter = Condition.attribute("price", .greater(5))
        #expect(message.trigger == InAppTrigger(event: "cart:add", filter: filter, occurrence: 2))
        #expect(message.content.title == "Hi" && message.content.body == "You" && message.content.imageAlt == "A hat")
        #expect(message.content.layout == .titleImageBody && message.content.colors?.background == "#FFFFFF")
        #expect(message.content.buttons?.map(\.id) == ["yes"] && message.viewID == nil && !message.isExhausted)
        await world.kill()
    }

    @Test("IAM-4, IAM-6: messages are listed in the order of display, with their displays")
    func order() async throws {
        let world = try World()
        let client = try await world.startInApp()
        for priority in [5, 9, 5] {
            await world.server.publish { campaign in
                campaign.priority = priority
                campaign.displayLimit = 2
            }
        }
        try await client.refreshInAppMessages()
        #expect(try await client.inAppMessages.map(\.campaignID) == ["3", "1", "2"])
        try await world.track("cart:add")
        try await world.press(.close(.close))
        let counts = try await client.inAppMessages.map(\.displayCount)
        #expect(counts == [1, 0, 0])
        await world.kill()
    }

    @Test("IAM-7: a message that is requested and not shown reports why, and was not visible")
    func notShown() async throws {
        let world = try World()
        let client = try await world.startInApp()
        await world.server.publish { $0.startsAt = World.epoch + 60 }
        await world.server.publish { $0.content = #"{"title":"Second"}"# }
        try await client.refreshInAppMessages()
        let messages = try await client.inAppMessages
        let ids = Dictionary(messages.map { ($0.campaignID, $0.id) }, uniquingKeysWith: { first, _ in first })
        let early = try #require(ids["1"])
        let ready = try #require(ids["2"])
        let unknown = await fault { try await client.showInAppMessage(id: "another") }
        #expect(unknown?.code == .unknownMessage && unknown?.reason == nil)
        let notYet = await fault { try await client.showInAppMessage(id: early) }
        #expect(notYet?.code == .notShown && notYet?.reason == .notStarted(until: World.epoch + 60))
        try await client.pauseInAppMessages()
        let isPaused = try await client.isInAppPaused
        let paused = await fault { try await client.showInAppMessage(id: ready) }
        #expect(isPaused && paused?.code == .notShown && paused?.reason == .paused)
        #expect(paused?.message == InAppReason.paused.description)
        try await client.resumeInAppMessages()
        world.screen.whenLoading { _ in throw FakeServer.Failure.noNetwork }
        let unloaded = await fault { try await client.showInAppMessage(id: ready) }
        #expect(unloaded?.reason == .loadFailed)
        #expect(world.screen.notes.presented.isEmpty)
        world.screen.whenLoading(nil)
        try await client.showInAppMessage(id: ready)
        #expect(world.shownCampaign == "2")
        let second = await fault { try await client.showInAppMessage(id: ready) }
        #expect(second?.code == .notShown)
        await world.kill()
        let stopped = await fault { try await client.showInAppMessage(id: ready) }
        #expect(stopped?.code == .stopped)
    }

    @Test("IAM-3: a failed fetch says why, and the messages stay as they were")
    func refreshing() async throws {
        let world = try World()
        let client = try await world.startInApp()
        await world.server.publish()
        try await client.refreshInAppMessages()
        await world.server.publish()
        await world.server.set(isOffline: true)
        let offline = await fault { try await client.refreshInAppMessages() }
        #expect(offline?.code == .noNetwork)
        await world.server.set(isOffline: false)
        await world.server.script(FakeServer.fetchInApp, .answer(FakeServer.error(503, "busy")))
        world.clock.advance(by: 3_600)
        await world.settleScreen()
        let busy = await fault { try await client.refreshInAppMessages() }
        #expect(busy?.code == .serverUnavailable)
        #expect(try await client.inAppMessages.map(\.campaignID) == ["1"])
        world.clock.advance(by: 3_600)
        try await client.refreshInAppMessages()
        #expect(try await client.inAppMessages.map(\.campaignID) == ["2", "1"])
        await world.kill()
    }

    @Test("REG-36: a suspended client has no messages, and says so")
    func resting() async throws {
        let world = try World()
        let client = try await world.startInApp()
        await world.server.publish()
        try await client.refreshInAppMessages()
        try await client.wipe()
        #expect(try await client.inAppMessages.isEmpty)
        let calls: [@Sendable (BelfryClient) async throws -> Void] = [
            { try await $0.refreshInAppMessages() },
            { try await $0.showInAppMessage(id: "any") },
            { _ = try await $0.inlineMessage(viewID: "home") },
        ]
        for call in calls {
            let error = await fault { try await call(client) }
            #expect(error?.code == .resting)
        }
        await world.kill()
    }
}

// MARK: - What is told

extension InAppSurfaceTests {
    @Test("IAM-6, IAM-9: decisions and actions are reported to all listeners, in sentences, until the client stops")
    func streams() async throws {
        let world = try World()
        let client = try await world.startInApp()
        await world.server.publish { campaign in
            campaign.content = #"{"title":"Hi","buttons":[{"id":"yes","text":"Yes","action":{"type":"close"}}]}"#
            campaign.displayLimit = 9
        }
        try await client.refreshInAppMessages()
        let decisions = [client.inAppDecisions, client.inAppDecisions]
        let actions = client.inAppActions
        try await world.track("cart:add")
        try await world.press(.click(buttonID: "yes"))
        world.clock.advance(by: 12)
        try await world.track("cart:add")
        await world.kill()
        for stream in decisions {
            var reported: [InAppDecisionReport] = []
            for await decision in stream {
                reported.append(decision)
            }
            #expect(reported.map(\.outcome) == [.shown, .notShown])
            #expect(reported.last?.reason == .anotherShown(secondsAgo: 12) && reported.last?.at == world.clock.now)
            #expect(reported.last?.description == "1 was not shown: another message was shown 12 s ago")
            #expect(reported.first?.description == "1 was shown")
        }
        var pressed: [InAppActionReport] = []
        for await action in actions {
            pressed.append(action)
        }
        #expect(pressed.map(\.buttonID) == ["yes"] && pressed.map(\.action) == [InAppAction(type: .close)])
        #expect(pressed.first?.message.campaignID == "1")
    }

    @Test("IAM-11: reports that wait are the former person's, and are removed with them")
    func formerPerson() async throws {
        let world = try World()
        let client = try await world.startInApp("anna")
        await world.server.publish()
        try await client.refreshInAppMessages()
        let decisions = client.inAppDecisions
        try await world.track("cart:add")
        try await client.identify(contactKey: "bert")
        await world.settleScreen()
        #expect(world.screen.onScreen == nil)
        await world.kill()
        var reported: [InAppDecisionReport] = []
        for await decision in decisions {
            reported.append(decision)
        }
        #expect(reported.allSatisfy { $0.outcome != .shown }, "\(reported)")
    }

    @Test("IAM-5: a screen is an event with its name, from a view without waiting, in the order of the calls")
    func screens() async throws {
        let world = try World()
        let client = try await world.startInApp()
        await world.server.publish { campaign in
            let isPayment = #"{"attribute":"name","op":"==","value":"payment"}"#
            campaign.trigger = #"{"event":"screen","where":\#(isPayment)}"#
        }
        try await client.refreshInAppMessages()
        func show() {
            client.trackScreen("home")
            client.pauseInAppMessages()
            client.trackScreen("payment", attributes: ["step": 1])
            client.resumeInAppMessages()
            client.trackScreen(" ")
        }
        show()
        let reports = client.reports
        try await client.trackScreen("done")
        await eventually("the message is shown") { world.shownCampaign == "1" }
        try await client.flush()
        let screens = await world.server.events.filter { $0.name == "screen" }.map(\.attributes)
        #expect(screens == [["name": "home"], ["name": "payment", "step": 1], ["name": "done"]])
        let error: BelfryError?
        do throws(BelfryError) {
            try await client.trackScreen("")
            error = nil
        } catch let thrown {
            error = thrown
        }
        #expect(error?.code == .invalidEvent && error?.field == "name")
        await world.kill()
        var isReported = false
        for await report in reports {
            if case .callFailed(let error) = report { isReported = error.code == .invalidEvent }
        }
        #expect(isReported)
    }
}

// MARK: - Inline messages

extension InAppSurfaceTests {
    private func inlineWorld(limit: Int = 1_000) async throws -> World {
        let world = try World()
        try await world.startInApp()
        for (priority, viewID) in [(9, "Home"), (3, "HOME"), (1, "cart")] {
            await world.server.publish { campaign in
                campaign.trigger = nil
                campaign.type = "inline"
                campaign.viewID = viewID
                campaign.priority = priority
                campaign.displayLimit = limit
                campaign.content = #"""
                    {"title":"Hi","buttons":[{"id":"go","text":"Go","action":{"type":"openUrl","url":"https://example.com"}},
                    {"id":"no","text":"No","action":{"type":"close"}}]}
                    """#
            }
        }
        try await world.client.refreshInAppMessages()
        return world
    }

    @Test("IAM-12: a view gets its message by priority, whatever the case of its id; another gets none")
    func inline() async throws {
        let world = try await inlineWorld()
        let client = try world.client
        let home = try #require(try await client.inlineMessage(viewID: "home"))
        #expect(home.message.campaignID == "2" && home.id == home.message.id && home.html == home.display.html)
        #expect(try await client.inlineMessage(viewID: "CART")?.message.campaignID == "3")
        #expect(try await client.inlineMessage(viewID: "offers") == nil)
        #expect(world.screen.notes.prepared.isEmpty, "nothing covers the app")
        #expect(try await world.reported(.inAppViewed).isEmpty, "to ask is not to show")
        await world.kill()
    }

    @Test("IAM-9, IAM-12: an inline message counts once when visible, reports its clicks and its time, and closes")
    func inlineStory() async throws {
        let world = try await inlineWorld()
        let client = try world.client
        let home = try #require(try await client.inlineMessage(viewID: "home"))
        for _ in 0..<3 { try await client.inlineMessageShown(home) }
        world.clock.advance(by: 7)
        let isOver = try await client.inlineMessage(home, said: .click(buttonID: "go"))
        #expect(!isOver, "an address leaves it in its place")
        await eventually("the address is opened") { world.links.urls == ["https://example.com"] }
        let isClosed = try await client.inlineMessage(home, said: .click(buttonID: "no"))
        #expect(isClosed)
        // A report of a view about an ended message has no effect.
        try await client.inlineMessageClosed(home)
        #expect(try await client.inlineMessage(home, said: .click(buttonID: "go")))
        #expect(try await world.reported(.inAppViewed).count == 1)
        let clicks = try await world.reported(.inAppClick).compactMap { $0["buttonId"] }
        #expect(clicks == ["go", "no"])
        let dismissals = try await world.reported(.inAppDismiss)
        #expect(dismissals.map { $0["seconds"] } == [7] && dismissals.map { $0["how"] } == ["button"])
        #expect(try await client.inlineMessage(viewID: "home")?.message.campaignID == "1")
        await world.kill()
    }

    @Test("IAM-11: the inline message of a former person is ignored, and the next person sees their own")
    func inlineOfFormer() async throws {
        let world = try await inlineWorld()
        let client = try world.client
        let home = try #require(try await client.inlineMessage(viewID: "home"))
        try await client.identify(contactKey: "bert")
        try await client.inlineMessageShown(home)
        let isOver = try await client.inlineMessage(home, said: .click(buttonID: "go"))
        await world.settleScreen()
        #expect(isOver && world.links.urls.isEmpty)
        #expect(try await world.reported(.inAppViewed).isEmpty)
        await world.kill()
    }
}
