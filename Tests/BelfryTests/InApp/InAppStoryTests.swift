import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Whole stories of in-app messages, through the engine that ships.
struct InAppStoryTests {
    @Test("IAM-3, IAM-5, IAM-8, IAM-9: published, announced by a silent push, synced, triggered, shown, clicked")
    func story() async throws {
        let world = try World()
        let client = try await world.startInApp()
        let campaign = await world.server.publish { campaign in
            campaign.content = #"""
                {"title":"Hi","buttons":[{"id":"go","text":"Go","action":{"type":"openUrl","url":"https://shop.example.com"}}]}
                """#
        }
        #expect(try await client.inAppMessages.isEmpty)
        try await client.handlePush(inAppPush("S-1"))
        await client.waitUntilIdle()
        #expect(try await client.inAppMessages.map(\.campaignID) == ["\(campaign)"])
        try await world.track("something:else")
        #expect(world.screen.onScreen == nil)
        try await world.track("cart:add")
        let page = try #require(world.screen.onScreen)
        #expect(page.message.content.title == "Hi" && page.html.contains(page.nonce))
        world.clock.advance(by: 12)
        try await world.press(.click(buttonID: "go"))
        #expect(world.screen.onScreen == nil)
        #expect(world.links.urls == ["https://shop.example.com"])
        let id = AttributeValue.string(page.message.id)
        let viewed = try await world.reported(.inAppViewed)
        #expect(viewed == [["campaignId": "1", "messageId": id, "version": 1]])
        #expect(try await world.reported(.inAppClick) == [["campaignId": "1", "messageId": id, "buttonId": "go"]])
        let dismissed = try await world.reported(.inAppDismiss)
        #expect(dismissed == [["campaignId": "1", "messageId": id, "seconds": 12, "how": "button"]])
        #expect(try await client.inAppMessages.isEmpty, "shown as often as it may be, it has left the device")
        world.clock.advance(by: 100)
        try await world.track("cart:add")
        #expect(world.screen.notes.presented.count == 1)
        await world.kill()
    }

    @Test("IAM-3: a missed silent push costs nothing: the next session and each foreground sync")
    func withoutPush() async throws {
        let world = try World()
        let client = try await world.startInApp()
        let first = await world.server.count(FakeServer.fetchInApp)
        #expect(first >= 1)
        await world.server.publish()
        try await world.comeBack(after: 5)
        #expect(await world.server.count(FakeServer.fetchInApp) == first, "not twice in a minute")
        // Events that were held back for the minute are sent with it.
        world.clock.advance(by: 60)
        await client.waitUntilIdle()
        #expect(await world.server.count(FakeServer.fetchInApp) == first + 1)
        #expect(try await client.inAppMessages.count == 1)
        let since = await world.server.requests.last { $0.name == FakeServer.fetchInApp }?.query["since"]
        #expect(since != nil, "it says what it has")
        // A session that begins syncs at once.
        await world.server.publish()
        try await world.comeBack(after: 31)
        #expect(try await client.inAppMessages.count == 2)
        await world.kill()
    }

    @Test("IAM-3: opted out of push, or after a kill, the session's own fetch gets what its start triggers")
    func sessionStart() async throws {
        let world = try World()
        try await world.startInApp()
        await world.kill()
        await world.server.publish { $0.trigger = #"{"event":"session:start"}"# }
        world.clock.advance(by: 3_600)
        try await world.start()
        await world.settleScreen()
        #expect(world.shownCampaign == "1")
        await world.kill()
    }

    @Test("IAM-5: a trigger is evaluated without a network, and while a request hangs")
    func offline() async throws {
        let world = try World()
        let client = try await world.startInApp()
        await world.server.publish()
        try await client.refreshInAppMessages()
        await world.server.set(isOffline: true)
        try await world.track("cart:add")
        #expect(world.shownCampaign == "1")
        await world.kill()
    }

    @Test("IAM-5: conditions, the n-th occurrence, screens and versions")
    func conditions() async throws {
        let world = try World { $0.inApp.minimumGap = 0 }
        let client = try await world.startInApp()
        await world.server.publish {
            $0.trigger = #"{"event":"cart:add","where":{"attribute":"price","op":">","value":100}}"#
        }
        await world.server.publish {
            $0.trigger = #"{"event":"screen","where":{"attribute":"name","op":"==","value":"checkout"}}"#
        }
        await world.server.publish { $0.trigger = #"{"event":"look","occurrence":3}"# }
        await world.server.publish {
            $0.trigger = #"{"event":"look","where":{"device":"appVersion","op":"==","value":"9.0"}}"#
        }
        try await client.refreshInAppMessages()
        try await world.track("cart:add", ["price": 50])
        try await client.trackScreen("home")
        try await world.track("look")
        try await world.track("look")
        #expect(world.screen.onScreen == nil)
        try await world.track("cart:add", ["price": 150])
        #expect(world.shownCampaign == "1")
        try await world.press(.close(.close))
        try await client.trackScreen("checkout", attributes: ["basket": 2])
        await client.waitUntilIdle()
        #expect(world.shownCampaign == "2")
        try await world.press(.close(.close))
        try await world.track("look")
        #expect(world.shownCampaign == "3")
        await world.kill()
    }

    @Test("IAM-6: of two triggers in one turn the lower priority number wins; never two at once; the gap")
    func order() async throws {
        let world = try World()
        let client = try await world.startInApp()
        await world.server.publish {
            $0.priority = 5; $0.displayLimit = 9
        }
        await world.server.publish {
            $0.priority = 1; $0.displayLimit = 9
        }
        try await client.refreshInAppMessages()
        try await world.track("cart:add")
        #expect(world.shownCampaign == "2")
        try await world.press(.close(.close))
        world.clock.advance(by: 12)
        try await world.track("cart:add")
        #expect(world.screen.onScreen == nil)
        world.clock.advance(by: 18)
        try await world.track("cart:add")
        #expect(world.shownCampaign == "2")
        try await world.track("cart:add")
        #expect(world.screen.notes.mostAtOnce == 1)
        let sentences = try await world.reported(.inAppNotShown).compactMap { $0["sentence"] }
        #expect(sentences.contains("another message was shown 12 s ago"))
        #expect(Set(try await world.notShown()) == ["outranked", "anotherShown", "onScreen"])
        await world.kill()
    }

    @Test("IAM-6: the caps of the configuration, per session and per day")
    func caps() async throws {
        let world = try World {
            $0.inApp.minimumGap = 0
            $0.inApp.maximumPerSession = 2
            $0.inApp.maximumPerDay = 3
        }
        let client = try await world.startInApp()
        await world.server.publish { $0.displayLimit = 100 }
        try await client.refreshInAppMessages()
        for _ in 0..<4 {
            for _ in 0..<4 {
                try await world.track("cart:add")
                if world.screen.onScreen != nil { try await world.press(.close(.close)) }
            }
            try await world.comeBack(after: 60)
        }
        #expect(world.screen.notes.presented.count == 3)
        world.clock.advance(by: 86_400)
        try await world.track("cart:add")
        #expect(world.screen.notes.presented.count == 4)
        await world.kill()
    }

    @Test("WIRE-6: the device decides itself, so its events request no message in the response")
    func doNotDisturb() async throws {
        let world = try World()
        let client = try await world.startInApp()
        try await client.track("cart:add")
        try await client.flush()
        let uploads = await world.server.requests.filter { $0.name == "POST /client/events" }
        #expect(!uploads.isEmpty)
        for upload in uploads {
            let body = try #require(try JSONSerialization.jsonObject(with: upload.body) as? [String: Any])
            #expect(body["dnd"] as? Bool == true)
        }
        await world.kill()
    }

    @Test("IAM-9: time in the background does not count as time on the screen; closing by itself is reported too")
    func timeOnScreen() async throws {
        let world = try World { $0.inApp.minimumGap = 0 }
        let client = try await world.startInApp()
        await world.server.publish { $0.displayLimit = 9 }
        try await client.refreshInAppMessages()
        try await world.track("cart:add")
        world.clock.advance(by: 5)
        try await world.comeBack(after: 1_000)
        world.clock.advance(by: 4)
        try await world.press(.close(.swipe))
        try await world.track("cart:add")
        world.screen.clearScreen()
        await eventually("it is gone") { world.screen.notes.closed.count == 2 }
        await client.waitUntilIdle()
        let dismissals = try await world.reported(.inAppDismiss)
        #expect(dismissals.map { $0["seconds"] } == [9, 0])
        #expect(dismissals.map { $0["how"] } == ["swipe", "replaced"])
        await world.kill()
    }

    @Test("REG-36: without tracking nothing is recorded or triggered; messages shown by id still appear")
    func withoutTracking() async throws {
        let world = try World()
        let client = try await world.startInApp()
        await world.server.publish()
        try await client.refreshInAppMessages()
        try await client.flush()
        try await client.setTrackingEnabled(false)
        let before = await world.server.events.count
        try await world.track("cart:add")
        #expect(world.screen.onScreen == nil)
        let message = try #require(try await client.inAppMessages.first)
        try await client.showInAppMessage(id: message.id)
        try await world.press(.close(.close))
        try await client.flush()
        #expect(await world.server.events.count == before)
        #expect(try await client.inAppMessages.isEmpty, "it counts all the same")
        await world.kill()
    }
}
