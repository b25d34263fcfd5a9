import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Messages on the device when their campaigns change (IAM-4, IAM-10, IAM-11).
struct InAppChangeTests {
    private func world(_ change: @Sendable (inout FakeInApp.Campaign) -> Void = { _ in }) async throws -> World {
        let world = try World { $0.inApp.minimumGap = 0 }
        try await world.startInApp()
        await world.server.publish(change)
        try await world.client.refreshInAppMessages()
        return world
    }

    @Test("IAM-4: an edit replaces the message, its displays carry over, unless the editor resets them")
    func edit() async throws {
        let world = try await world { $0.displayLimit = 2 }
        try await world.track("cart:add")
        // Edited while it is displayed: what is on the screen stays.
        await world.server.edit(1) { $0.content = #"{"title":"New"}"# }
        try await world.client.refreshInAppMessages()
        #expect(world.screen.onScreen?.message.content.title == "Hello")
        try await world.press(.close(.close))
        let edited = try #require(try await world.client.inAppMessages.first)
        #expect(edited.version == 2 && edited.displayCount == 1 && edited.content.title == "New")
        try await world.track("cart:add")
        #expect(world.screen.onScreen?.message.content.title == "New")
        try await world.press(.close(.close))
        #expect(try await world.client.inAppMessages.isEmpty)
        await world.server.edit(1) { $0.content = #"{"title":"Newer"}"# }
        try await world.client.refreshInAppMessages()
        try await world.track("cart:add")
        #expect(world.screen.onScreen == nil, "its limit is reached")
        await world.server.edit(1, resetsDisplays: true)
        try await world.client.refreshInAppMessages()
        try await world.track("cart:add")
        #expect(world.screen.onScreen?.message.version == 4)
        await world.kill()
    }

    @Test("IAM-4: edited while its page loads, the new version is loaded instead")
    func editWhileLoading() async throws {
        let world = try await world()
        let turnstile = Turnstile()
        world.screen.whenLoading { page in if page.message.version == 1 { await turnstile.pass() } }
        try await world.client.track("cart:add")
        await eventually("the page is loaded") { turnstile.count == 1 }
        await world.server.edit(1) { $0.content = #"{"title":"New"}"# }
        try await world.client.refreshInAppMessages()
        turnstile.open()
        await eventually("the new one is shown") { world.screen.onScreen?.message.version == 2 }
        await world.settleScreen()
        #expect(world.screen.notes.presented.count == 1)
        #expect(try await world.reported(.inAppViewed).map { $0["version"] } == [2])
        await world.kill()
    }

    @Test("IAM-10: after a delete the copy stays until its end; a device without it never gets it")
    func delete() async throws {
        let world = try await world()
        await world.server.deleteCampaign(1)
        try await world.client.refreshInAppMessages()
        try await world.track("cart:add")
        #expect(world.shownCampaign == "1")
        await world.kill()
        let other = try World()
        try await other.startInApp()
        await other.server.publish()
        await other.server.deleteCampaign(1)
        try await other.client.refreshInAppMessages()
        #expect(try await other.client.inAppMessages.isEmpty)
        await other.kill()
    }

    @Test("IAM-10: a recall removes the copy, also from the screen, and while its page loads", arguments: 0..<3)
    func recall(moment: Int) async throws {
        let world = try await world()
        let turnstile = Turnstile()
        if moment == 1 { world.screen.whenLoading { _ in await turnstile.pass() } }
        if moment > 0 { try await world.client.track("cart:add") }
        if moment == 1 { await eventually("the page is loaded") { turnstile.count == 1 } }
        if moment == 2 { await world.settleScreen() }
        await world.server.recall(1)
        try await world.client.refreshInAppMessages()
        turnstile.open()
        await eventually("pages are closed") { Set(world.screen.notes.closed) == Set(world.screen.notes.prepared) }
        await world.settleScreen()
        #expect(world.screen.onScreen == nil)
        #expect(try await world.client.inAppMessages.isEmpty)
        #expect(world.screen.notes.presented.count == (moment == 2 ? 1 : 0))
        #expect(try await world.reported(.inAppDismiss).map { $0["how"] } == (moment == 2 ? ["replaced"] : []))
        try await world.track("cart:add")
        #expect(world.screen.onScreen == nil)
        await world.kill()
    }

    @Test("IAM-11: a message that has ended is removed by itself, by the server's clock")
    func expiry() async throws {
        let end = World.epoch.addingTimeInterval(600)
        let world = try await world { $0.endsAt = end }
        let store = try world.client.recorder.storage.opened().store
        try await world.advance(by: 500)
        #expect(try store.inAppMessages().count == 1)
        try await world.advance(by: 101)
        #expect(try store.inAppMessages().isEmpty)
        #expect(try await world.client.inAppMessages.isEmpty)
        await world.kill()
    }

    @Test("IAM-1: a device that leaves the audience loses the messages that were not seen")
    func audience() async throws {
        let world = try await world { $0.audience = ["anna"] }
        #expect(try await world.client.inAppMessages.count == 1)
        await world.server.edit(1) { $0.audience = ["bert"] }
        try await world.client.refreshInAppMessages()
        #expect(try await world.client.inAppMessages.isEmpty)
        await world.kill()
    }

    @Test(
        "WIRE-9: a foreign response changes nothing and is retried; an unreadable message affects no other"
    )
    func answers() async throws {
        let world = try await world()
        let client = try world.client
        let name = FakeServer.fetchInApp
        let bad = ["", "<html>", "{}", #"{"cursor":"","messages":[],"recalled":[]}"#]
        for body in bad {
            await world.server.script(name, .answer(TransportResponse(status: 200, body: Data(body.utf8))))
            do throws(InAppError) {
                try await client.refreshInAppMessages()
                Issue.record("it was taken: \(body)")
            } catch {
                #expect(error.code == .noNetwork)
            }
            #expect(try await world.client.inAppMessages.count == 1)
        }
        let strange = #"""
            {"cursor":"c","messages":[{"id":"x","type":"hologram"},{"id":"y","version":1,"campaignId":"9","type":"modal",
            "priority":1,"trigger":{"event":"a"},"displayLimit":1,"delaySeconds":0,"content":{"title":"t"}}],"recalled":[]}
            """#
        await world.server.script(name, .answer(TransportResponse(status: 200, body: Data(strange.utf8))))
        try await world.client.refreshInAppMessages()
        #expect(try await world.client.inAppMessages.map(\.campaignID) == ["9", "1"])
        // An unknown cursor is the server's affair: it says everything again.
        try await world.client.refreshInAppMessages()
        #expect(await world.server.requests.last { $0.name == name }?.query["since"] == "c")
        await world.kill()
    }

    @Test("REL-3: a file of schema 2 gains the table, and keeps its data")
    func migration() async throws {
        let world = try World()
        let client = try await world.startInApp()
        try await client.track("kept")
        await client.stop()
        let older = try world.make()
        let store = try older.recorder.storage.opened().store
        try store.access { db in
            try db.execute(
                sql: """
                    DROP TABLE in_app_message; DROP TABLE rich_report;
                    ALTER TABLE center_message DROP COLUMN listed; DELETE FROM value WHERE key = 'inApp';
                    ALTER TABLE set_aside DROP COLUMN tracked_at;
                    PRAGMA user_version = 2
                    """
            )
        }
        await world.kill()
        await world.server.publish()
        try await world.start()
        try await world.client.refreshInAppMessages()
        try await world.track("cart:add")
        #expect(world.shownCampaign == "1")
        try await world.client.flush()
        #expect(await world.server.tracked.map(\.name).contains("kept"))
        await world.kill()
    }
}
