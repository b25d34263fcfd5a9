import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

/// A message's last step to the screen: there may be none, and what shows it may answer late or never (IAM-7, IAM-8).
@Suite(.timeLimit(.minutes(10)))
struct InAppScreenTests {
    private func world() async throws -> World {
        let world = try World { $0.inApp.minimumGap = 0 }
        try await world.startInApp()
        await world.server.publish { $0.displayLimit = 3 }
        try await world.client.refreshInAppMessages()
        return world
    }

    @Test(
        "IAM-8: while the app has no screen the message waits, and is shown soon after there is one",
        arguments: [true, false])
    func noScreen(loads: Bool) async throws {
        let world = try await world()
        if loads {
            world.screen.whenPresenting { _ in false }
        } else {
            world.screen.whenLoading { _ in throw InAppScreenMissing() }
        }
        try await world.track("cart:add")
        #expect(world.screen.onScreen == nil && world.screen.notes.prepared.count == 1)
        try await world.advance(by: 2)
        await world.settleScreen()
        #expect(world.screen.onScreen == nil && world.screen.notes.prepared.count == 2)
        world.screen.whenPresenting(nil)
        world.screen.whenLoading(nil)
        // The system's question went away: the app is activated, and has been in front all the time.
        try await world.client.didEnterForeground()
        await world.settleScreen()
        #expect(world.shownCampaign == "1")
        #expect(try await world.notShown() == ["noScreen"])
        await world.kill()
    }

    @Test("IAM-7: paused while the page is being put on the screen, it is withdrawn and shown after the resume")
    func pausedWhilePresenting() async throws {
        let world = try await world()
        let turnstile = try await world.hold(.presenting)
        try await world.client.pauseInAppMessages()
        turnstile.open()
        await eventually("the late page is closed") {
            world.screen.onScreen == nil && world.screen.notes.presented.count == 1
        }
        await world.settleScreen()
        #expect(try await world.reported(.inAppViewed).isEmpty)
        world.screen.whenPresenting(nil)
        try await world.client.resumeInAppMessages()
        await world.settleScreen()
        #expect(world.shownCampaign == "1")
        #expect(try await world.reported(.inAppViewed).count == 1)
        await world.kill()
    }

    @Test("IAM-8: a page that never reports is assumed shown, and the next message gets the screen")
    func neverPresented() async throws {
        let world = try await world()
        let turnstile = try await world.hold(.presenting)
        world.clock.advance(by: 31)
        try await eventually("it is given up") { try await world.client.engine.process.inApp.presentation == nil }
        world.screen.whenPresenting(nil)
        try await world.track("cart:add")
        #expect(world.shownCampaign == "1")
        #expect(try await world.reported(.inAppViewed).map { $0["assumed"] } == [true, nil])
        turnstile.open()
        await eventually("the late page is closed") { world.screen.notes.closed.count == 2 }
        #expect(world.shownCampaign == "1")
        await world.kill()
    }

    @Test("IAM-11: a page that never closes delays neither a logout nor the next page for long")
    func neverClosed() async {
        let clock = ManualClock(World.epoch)
        let work = OrderedWork()
        let turnstile = Turnstile()
        let isNextGone = Locked(false)
        let end = clock.now.addingTimeInterval(5)
        work.add(until: end, sleep: { await clock.rest(until: $0) }) { await turnstile.pass() }
        work.add(until: end, sleep: { await clock.rest(until: $0) }) { isNextGone.withLock { $0 = true } }
        await eventually("it is waited for") { clock.nextWake != nil && turnstile.count == 1 }
        #expect(!isNextGone.withLock { $0 })
        clock.advance(by: 5)
        await work.finished()
        await eventually("the next page goes") { isNextGone.withLock { $0 } }
        turnstile.open()
    }

    @Test("IAM-12: an address that runs or reads something is refused, in any spelling")
    func rejectedLinks() {
        for url in ["javascript:a()", " JavaScript:a()", "java\nscript:a()", "data:text/html,x", "file:///etc"] {
            #expect(InAppLinks.refuses(url), "\(url)")
        }
        for url in ["https://example.com", "shop:cart", "/here", ""] {
            #expect(!InAppLinks.refuses(url), "\(url)")
        }
    }

    @Test("IAM-11: a message that a fast clock removed comes back with the server's response")
    func clockAhead() async throws {
        let world = try World()
        try await world.startInApp()
        await world.server.publish { $0.endsAt = World.epoch.addingTimeInterval(600) }
        try await world.client.refreshInAppMessages()
        await world.kill()
        world.clockError.withLock { $0 = 86_400 }
        await world.server.set(isOffline: true)
        try await world.start()
        await world.settleScreen()
        #expect(try world.client.recorder.storage.opened().store.inAppMessages().isEmpty)
        await world.server.set(isOffline: false)
        try await world.client.networkReturns()
        try await world.client.refreshInAppMessages()
        #expect(try await world.client.inAppMessages.map(\.campaignID) == ["1"])
        await world.kill()
    }

    @Test("IAM-4: a new version of the SDK requests everything, and so gets what the former could not read")
    func update() async throws {
        let world = try await world()
        await world.kill()
        let former = try world.make()
        try former.recorder.storage.opened().store.access { db in
            try db.execute(
                sql: """
                    UPDATE in_app_message SET body = CAST('{}' AS BLOB);
                    UPDATE value SET data = CAST(
                        replace(CAST(data AS TEXT), '"reader":"\(BelfryVersion.sdk)"', '"reader":"0.0.0"') AS BLOB);
                    """)
        }
        await world.kill()
        try await world.start()
        try await world.client.refreshInAppMessages()
        #expect(try await world.client.inAppMessages.map(\.campaignID) == ["1"])
        await world.kill()
    }
}
