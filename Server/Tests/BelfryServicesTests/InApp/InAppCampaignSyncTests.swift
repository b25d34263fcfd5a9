import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// What an operator does with a campaign, as a device learns of it (WIRE-9, IAM-4, IAM-10).
struct InAppCampaignSyncTests {
    /// A device that has downloaded a campaign's message.
    private static func stage(
        endsAt: Date? = nil
    ) async throws -> (world: ServiceWorld, phone: InAppPhone, campaign: CampaignID) {
        let world = try await ServiceWorld()
        var phone = InAppPhone(try await ServiceDevice.registered(world, 1, key: "anna"))
        let id = try await world.offer(ServiceWorld.modal(endsAt: endsAt))
        world.clock.advance(by: 5)
        try await phone.sync()
        try #require(phone.versions == [id: 1])
        world.clock.advance(by: 5)
        return (world, phone, id)
    }

    @Test("IAM-4: an edited message replaces the one before, under the same id")
    func edited() async throws {
        var (world, phone, id) = try await Self.stage()
        let before = try #require(phone.messages[id])
        try await world.edit(id) { $0.inApp?.content.title = "Last day" }
        let response = try await phone.sync()
        let after = try #require(response.messages.first)
        #expect(response.messages.count == 1 && response.recalled.isEmpty)
        #expect(after.id == before.id && after.version == 2 && after.draft.content.title == "Last day")
        #expect(try await world.copy(id, phone.device)?.version == 2)
        #expect(try await world.counts(id).accepted == 1)
    }

    @Test("IAM-4: the display count carries over an edit, unless the editor resets it")
    func displayCount() async throws {
        var (world, phone, id) = try await Self.stage()
        for _ in 0..<2 { try await phone.report(.inAppViewed, id) }
        try await world.edit(id) { $0.inApp?.content.title = "Second" }
        #expect(try await phone.sync().messages.first?.displayCount == 2)
        #expect(phone.messages[id]?.displayEpoch == 0)
        try await world.edit(id, resetDisplays: true) { $0.inApp?.content.title = "Third" }
        let third = try #require(try await phone.sync().messages.first)
        #expect(third.displayCount == 0 && third.displayEpoch == 3)
        // A late report of a display of an earlier version does not count in the new count.
        try await phone.report(.inAppViewed, id, ["version": 2])
        try await phone.report(.inAppViewed, id)
        try await world.edit(id) { $0.inApp?.content.title = "Fourth" }
        #expect(try await phone.sync().messages.first?.displayCount == 1)
        #expect(try await world.campaigns.queries.report(id, app: world.app).inApp?.displays == 4)
    }

    @Test("IAM-8: a reinstalled app gets the number of its contact's displays")
    func reinstalled() async throws {
        let (world, old, id) = try await Self.stage()
        var phone = old
        try await phone.report(.inAppViewed, id)
        var again = InAppPhone(phone.device)
        let message = try #require(try await again.sync().messages.first)
        #expect(message.campaign == id && message.displayCount == 1)
        // Another contact has seen nothing.
        try await again.device.identify("ben")
        #expect(try await again.sync().messages.first?.displayCount == 0)
        #expect(try await world.counts(id).audience == 1)
    }

    @Test(
        "IAM-10: after a campaign is deleted or cancelled, copies stay, and nobody gets a new one",
        arguments: [true, false])
    func deleted(isDeletion: Bool) async throws {
        var (world, phone, id) = try await Self.stage()
        if isDeletion {
            try await world.campaigns.life.delete(id, app: world.app)
        } else {
            _ = try await world.campaigns.life.cancel(id, app: world.app)
        }
        let response = try await phone.sync()
        #expect(response.messages.isEmpty && response.recalled.isEmpty)
        #expect(phone.versions == [id: 1])
        var late = InAppPhone(try await ServiceDevice.registered(world, 2, key: "ben"))
        try await late.sync()
        #expect(late.versions.isEmpty)
        // A recall reaches the copies all the same.
        world.clock.advance(by: 5)
        _ = try await world.campaigns.life.recall(id, app: world.app)
        try await phone.sync()
        #expect(phone.versions.isEmpty)
    }

    @Test("IAM-10: a recalled message is removed, displayed or not", arguments: [true, false])
    func recalled(isShown: Bool) async throws {
        var (world, phone, id) = try await Self.stage()
        if isShown { try await phone.report(.inAppViewed, id) }
        _ = try await world.campaigns.life.recall(id, app: world.app)
        let response = try await phone.sync()
        #expect(response.recalled == [MessageID.make(campaign: id, device: phone.device.client)])
        #expect(try await world.copy(id, phone.device)?.recalledAt == world.clock.now)
        // A device whose cursor was lost learns it, too.
        var again = InAppPhone(phone.device)
        #expect(try await again.sync().recalled == response.recalled)
        #expect(again.versions.isEmpty)
    }

    @Test(
        "IAM-10: a recall reaches a device that synced with another's cursor in between", arguments: [nil, "forged"])
    func recalledAfterForeignCursor(cursor: String?) async throws {
        var (world, phone, id) = try await Self.stage()
        _ = try await world.campaigns.life.pause(id, app: world.app)
        phone.cursor = cursor
        let response = try await phone.sync()
        #expect(response.messages.isEmpty && response.recalled.isEmpty)
        world.clock.advance(by: 5)
        _ = try await world.campaigns.life.recall(id, app: world.app)
        #expect(try await phone.sync().recalled == [MessageID.make(campaign: id, device: phone.device.client)])
        #expect(phone.versions.isEmpty)
    }

    @Test("CAMP-2: a paused campaign sends nothing new, and recalls nothing")
    func paused() async throws {
        var (world, phone, id) = try await Self.stage()
        _ = try await world.campaigns.life.pause(id, app: world.app)
        let response = try await phone.sync()
        #expect(response.messages.isEmpty && response.recalled.isEmpty)
        var late = InAppPhone(try await ServiceDevice.registered(world, 2, key: "ben"))
        try await late.sync()
        #expect(late.versions.isEmpty)
        try await world.edit(id) { $0.inApp?.content.title = "While paused" }
        #expect(try await phone.sync().messages.isEmpty)
        world.clock.advance(by: 5)
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await phone.sync()
        try await late.sync()
        #expect(phone.versions == [id: 2] && late.versions == [id: 2])
    }

    @Test("IAM-1: after its end a campaign sends nothing, even before it is completed")
    func ended() async throws {
        let end = ServiceWorld.epoch.addingTimeInterval(100)
        var (world, phone, id) = try await Self.stage(endsAt: end)
        world.clock.advance(to: end)
        var late = InAppPhone(try await ServiceDevice.registered(world, 2, key: "ben"))
        #expect(try await late.sync().messages.isEmpty)
        try await world.planInAppCampaigns()
        #expect(try await world.campaign(id).status == .completed)
        let response = try await phone.sync()
        #expect(response.messages.isEmpty && response.recalled.isEmpty)
    }

    @Test("IAM-1: a device that leaves the audience keeps shown messages, and loses the others")
    func shownBefore() async throws {
        let world = try await ServiceWorld()
        var phone = InAppPhone(try await ServiceDevice.started(world, 1))
        try await phone.device.tell([:], tags: ["sports"])
        let shown = try await world.offer(audience: .tag("sports"))
        let unseen = try await world.offer(audience: .tag("sports"))
        try await phone.sync()
        try await phone.report(.inAppViewed, shown)
        world.clock.advance(by: 5)
        try await phone.device.tell([:], tags: [])
        let response = try await phone.sync()
        #expect(response.recalled == [MessageID.make(campaign: unseen, device: phone.device.client)])
        #expect(phone.versions == [shown: 1])
        // An edit does not bring a new version to somebody who does not belong to the audience.
        try await world.edit(shown) { $0.inApp?.content.title = "New" }
        try await phone.sync()
        #expect(phone.versions == [shown: 1])
    }

    @Test("IAM-4: an edit of the audience withdraws the message from devices that no longer belong to it")
    func editedAudience() async throws {
        var (world, phone, id) = try await Self.stage()
        try await world.edit(id) { $0.audience = .contactKeys(["ben"]) }
        try await phone.sync()
        #expect(phone.versions.isEmpty)
    }

    @Test("CAMP-5: a scheduled message is sent when its campaign begins")
    func scheduled() async throws {
        let world = try await ServiceWorld()
        var phone = InAppPhone(try await ServiceDevice.registered(world, 1, key: "anna"))
        world.clock.advance(by: 5)
        let begin = world.clock.now.addingTimeInterval(60)
        let draft = CampaignDraft(
            name: "Sale", kind: .inApp, audience: .everyone, inApp: ServiceWorld.modal(),
            schedule: CampaignSchedule(at: begin)
        )
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        _ = try await world.campaigns.life.launch(id, app: world.app)
        #expect(try await phone.sync().messages.isEmpty)
        world.clock.advance(to: begin)
        try await world.planner.startDue()
        #expect(try await phone.sync().messages.map(\.campaign) == [id])
    }
}
