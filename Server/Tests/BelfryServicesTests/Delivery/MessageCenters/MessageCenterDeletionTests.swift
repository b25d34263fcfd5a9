import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct MessageCenterDeletionTests {
    private static func centers(_ world: ServiceWorld) -> MessageCenterService {
        MessageCenterService(database: world.database, environment: world.environment)
    }

    private static func error(_ world: ServiceWorld) async -> String? {
        await errorCode { try await centers(world).delete("news", app: world.app) }
    }

    private static let message = MessageCenterContent(center: "news", subject: "News", message: "Only today")

    @Test("MC-2: a center stays while a launched campaign waits for its recipients' time", arguments: [true, false])
    func localTime(isPushed: Bool) async throws {
        let world = try await ServiceWorld()
        _ = try await Self.centers(world).save("news", .init(), app: world.app)
        let device = try await ServiceDevice.registered(world, 1, token: "token1")
        let local = try #require(LocalDateTime("2026-11-22T09:00:00"))
        let id = try await world.launch(
            message: Self.message, push: isPushed ? ServiceWorld.content : nil,
            schedule: CampaignSchedule(localAt: local)
        )
        // It is morning somewhere, so the audience is in the ledger.
        try await world.send(until: try #require(Timestamp.date("2026-11-21T20:00:00Z")))
        #expect(try await world.counts(id).pending == 1)
        #expect(await Self.error(world) == "conflict")
        _ = try await world.campaigns.life.pause(id, app: world.app)
        #expect(await Self.error(world) == "conflict")
        _ = try await world.campaigns.life.resume(id, app: world.app)
        try await world.sendToTheEnd()
        #expect(try await world.outcome(id, device) == "accepted")
        #expect(await Self.error(world) == nil)
    }

    @Test("MC-2: a campaign that is over, or keeps nothing there, does not block a center's deletion")
    func free() async throws {
        let world = try await ServiceWorld()
        _ = try await Self.centers(world).save("news", .init(), app: world.app)
        let local = try #require(LocalDateTime("2026-11-22T09:00:00"))
        let schedule = CampaignSchedule(localAt: local)
        _ = try await ServiceDevice.registered(world, 1, token: "token1")
        _ = try await world.launch(message: ServiceWorld.message, schedule: schedule)
        _ = try await world.launch(schedule: schedule)
        let cancelled = try await world.launch(message: Self.message, schedule: schedule)
        // It is morning somewhere, so the audience is in the ledger.
        try await world.send(until: try #require(Timestamp.date("2026-11-21T20:00:00Z")))
        #expect(await Self.error(world) == "conflict")
        _ = try await world.campaigns.life.cancel(cancelled, app: world.app)
        #expect(await Self.error(world) == nil)
    }
}
