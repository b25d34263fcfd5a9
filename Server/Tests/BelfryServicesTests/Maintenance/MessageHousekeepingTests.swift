import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct MessageHousekeepingTests {
    private static let day: TimeInterval = 86_400

    /// One message for each of 150 contacts: expired, deleted, or neither, three in turn.
    private func keepMessages(_ world: ServiceWorld) async throws {
        let (app, epoch) = (world.app.id, ServiceWorld.epoch)
        let id = try #require(CampaignID(1 as Int64))
        try await world.database.write { connection in
            for number in 0..<150 {
                let contact = try connection.contacts.findOrInsert(
                    app: app, key: "c\(number)", known: true, now: epoch
                )
                try connection.centerMessages.keep([
                    KeptMessage(
                        contact: contact, center: .primary, sentAt: epoch, campaign: id, app: app,
                        expiresAt: number.isMultiple(of: 3) ? epoch : nil, body: "b"
                    )
                ])
                try connection.richConfirmations.insert(contact: contact, campaign: id, device: 1, now: epoch)
                guard number % 3 == 1 else { continue }
                _ = try connection.centerMessages.setState(.deleted, contact: contact, campaign: id, at: epoch)
            }
        }
    }

    @Test("MC-5: expired and deleted messages are removed after 30 days, with their confirmations")
    func messages() async throws {
        let world = try await ServiceWorld()
        try await keepMessages(world)
        for (days, left) in [(1, 150), (30, 150), (30.001, 50), (4_000, 50)] {
            world.clock.advance(to: ServiceWorld.epoch.addingTimeInterval(days * Self.day))
            await world.housekeeping.tidy()
            #expect(try await world.rows("center_messages") == left, "\(days)")
            #expect(try await world.rows("rich_confirmations") == left, "\(days)")
        }
        #expect(try await world.rows("center_messages", where: "state = 'unread' AND expires_at IS NULL") == 50)
    }

    @Test(
        "MC-15: what expired in an installation's inbox is removed as well, however far its number is from any contact's"
    )
    func installations() async throws {
        let world = try await ServiceWorld()
        try await world.makeFleet(120)
        let (app, epoch) = (world.app.id, ServiceWorld.epoch)
        let id = try #require(CampaignID(1 as Int64))
        let kept = try await world.database.write { connection in
            try connection.centerMessages.keep(
                [1, 101, 120].map {
                    KeptMessage(
                        contact: MessageHolder.installation($0).number, center: .primary, sentAt: epoch, campaign: id,
                        app: app, expiresAt: $0 == 101 ? nil : epoch, body: "b"
                    )
                }
            )
        }
        #expect(kept == 3)
        world.clock.advance(by: 31 * Self.day)
        await world.housekeeping.tidy()
        #expect(try await world.rows("center_messages") == 1)
        #expect(try await world.rows("center_messages", where: "contact_id = -101") == 1)
    }

    @Test("MC-5: they are checked once a day only")
    func daily() async throws {
        let world = try await ServiceWorld()
        try await keepMessages(world)
        world.clock.advance(by: 31 * Self.day)
        await world.housekeeping.tidy(daily: false)
        #expect(try await world.rows("center_messages") == 150)
        await world.housekeeping.tidy()
        #expect(try await world.rows("center_messages") == 50)
    }
}
