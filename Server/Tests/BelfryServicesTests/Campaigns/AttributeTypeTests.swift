import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct AttributeTypeTests {
    private static let audience = Condition.attribute("birthday", .equal("today"))
    private static let later = CampaignSchedule(at: ServiceWorld.epoch.addingTimeInterval(3_600))

    private static func world() async throws -> ServiceWorld {
        let world = try await ServiceWorld()
        try await world.apps.defineAttribute("birthday", type: .string, app: world.app)
        try await world.makeFleet(2)
        return world
    }

    /// Makes the attribute a date; nil when that is done, else why it is refused.
    private static func error(in world: ServiceWorld, to type: AttributeType = .date) async throws -> String? {
        do {
            try await world.apps.defineAttribute("birthday", type: type, app: world.app)
            return nil
        } catch ServiceError.conflict(_, let message) {
            return message
        }
    }

    enum Wait: CaseIterable {
        case scheduled
        case pausedBeforeItsTime
        case launched
        case pausedWhilePlanned

        var isBegun: Bool { self == .launched || self == .pausedWhilePlanned }
    }

    @Test(
        "CAMP-3: a type that would break a waiting campaign is refused, and nothing is changed",
        arguments: Wait.allCases)
    func rejected(_ wait: Wait) async throws {
        let world = try await Self.world()
        let id = try await world.launch(audience: Self.audience, schedule: wait.isBegun ? nil : Self.later)
        if wait == .pausedBeforeItsTime || wait == .pausedWhilePlanned {
            _ = try await world.campaigns.life.pause(id, app: world.app)
        }
        let campaign = try await world.campaign(id)
        let message = try #require(try await Self.error(in: world))
        #expect(message.hasPrefix("Campaign \(id) ('Sale') is \(campaign.status.rawValue) and could not be sent"))
        #expect(message.contains("audience.value: 'birthday' is a date"))
        #expect(message.hasSuffix(wait.isBegun ? "Try again when that is done." : "or keep the type."))
        #expect(try await world.apps.attributes(of: world.app) == ["birthday": .string])
        #expect(try await world.campaign(id) == campaign)

        // The advice in the error works.
        if wait.isBegun {
            while try await world.planner.planNext() {}
        } else {
            _ = try await world.campaigns.life.cancel(id, app: world.app)
        }
        #expect(try await Self.error(in: world) == nil)
        #expect(try await world.apps.attributes(of: world.app) == ["birthday": .date])
    }

    @Test("CAMP-3: a campaign that also works with the new type is sent with it")
    func compatible() async throws {
        let world = try await Self.world()
        let id = try await world.launch(
            audience: .not(.attribute("birthday", .less("2026-01-01"))),
            push: PushContent(title: "Hello", body: "{{#birthday}}Soon{{/birthday}}Always"), schedule: Self.later
        )
        #expect(try await Self.error(in: world) == nil)
        try await world.sendToTheEnd()
        #expect(try await world.counts(id).accepted == 2)
    }

    @Test("CAMP-3: drafts, ended campaigns and those of other apps do not block a change")
    func free() async throws {
        let world = try await Self.world()
        let draft = try await world.campaigns.drafts.create(ServiceWorld.draft(audience: Self.audience), app: world.app)
            .id
        _ = try await world.launch(audience: Self.audience)
        try await world.sendToTheEnd()
        let other = try await world.apps.create(code: "other", name: "Other").app
        try await world.apps.defineAttribute("birthday", type: .string, app: other)
        try await world.apps.putAPNsCredentials(TestKeys.apns(), app: other)
        let foreign = ServiceWorld.draft(audience: Self.audience, schedule: Self.later)
        let foreignID = try await world.campaigns.drafts.create(foreign, app: other).id
        _ = try await world.campaigns.life.launch(foreignID, app: other)
        #expect(try await Self.error(in: world) == nil)
        #expect(await errorCode { try await world.campaigns.life.launch(draft, app: world.app) } == "invalidValue")
    }

    @Test("CAMP-3: a campaign that is already invalid, or unreadable, does not block a change")
    func wrongAlready() async throws {
        let world = try await Self.world()
        let unreadable = try await world.launch(audience: Self.audience, schedule: Self.later)
        _ = try await world.launch(audience: Self.audience, schedule: Self.later)
        let app = world.app.id
        try await world.database.write { connection in
            try connection.attributes.define(AttributeKey("birthday"), type: .date, app: app, now: ServiceWorld.epoch)
            try connection.attributes.define(AttributeKey("city"), type: .string, app: app, now: ServiceWorld.epoch)
            _ = try connection.execute(
                "UPDATE campaigns SET content = 'no JSON' WHERE id = ?", [.integer(unreadable.number)]
            )
        }
        try await world.apps.defineAttribute("city", type: .date, app: world.app)
        // Back to the type with which it can be sent.
        #expect(try await Self.error(in: world, to: .string) == nil)
        #expect(try await Self.error(in: world)?.contains("('Sale')") == true)
    }

    @Test("CAMP-3, IAM-1: an attribute that an in-app campaign uses keeps its type until the campaign is over")
    func inApp() async throws {
        let world = try await Self.world()
        let draft = ServiceWorld.news("Welcome", audience: Self.audience)
        let id = try await world.campaigns.drafts.create(draft, app: world.app).id
        #expect(try await Self.error(in: world) == nil)
        #expect(try await Self.error(in: world, to: .string) == nil)
        _ = try await world.campaigns.life.launch(id, app: world.app)
        await world.silentPushSender().runUntilIdle()
        let error = try #require(try await Self.error(in: world))
        #expect(error.hasPrefix("Campaign \(id) ('Welcome') is active") && error.contains("audience.value"))
        #expect(error.hasSuffix("Cancel the campaign first, or keep the type."))

        // The advice in the error works, once the ledger has the rest of the audience.
        let other = try await world.publish("Other", audience: Self.audience)
        _ = try await world.campaigns.life.cancel(other, app: world.app)
        _ = try await world.campaigns.life.cancel(id, app: world.app)
        #expect(try await Self.error(in: world)?.hasSuffix("Try again when that is done.") == true)
        await world.silentPushSender().runUntilIdle()
        #expect(try await Self.error(in: world) == nil)
    }
}
