import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

struct ContactInBetweenTests {
    /// A message-center campaign to one device, at which something happens while it is being placed.
    private static func story(
        key: String? = nil, _ action: @escaping @Sendable (ServiceDevice) async throws -> Void
    ) async throws -> (world: ServiceWorld, device: ServiceDevice, campaign: CampaignID) {
        let world = try await ServiceWorld()
        let device = try await ServiceDevice.registered(world, 1, key: key, token: "token1")
        var message = ServiceWorld.message
        message.badge = BadgeChange(op: .increment)
        let id = try await world.launch(message: message)
        let database = InterruptedDatabase(world.database, after: "BatchContext") { try await action(device) }
        await world.dispatcher("a", database: database).runUntilIdle()
        return (world, device, id)
    }

    @Test(
        "MC-12, ID-8: a login while the message is placed gets it for the new contact, once, and a badge of 1")
    func login() async throws {
        let (world, device, id) = try await Self.story { device in
            var device = device
            try await device.identify("anna")
        }
        #expect(try await device.contactKey == "anna")
        #expect(try await world.outcome(id, device) == "accepted")
        #expect(try await world.inbox(device).map(\.campaign) == [id])
        #expect(try await world.rows("center_messages") == 1)
        #expect(try await world.badge(device.client).count == 1)
        #expect(world.transport.requests.map(\.badge?.count) == [1])
    }

    @Test("REG-36: of a person who is erased while the message is placed, nothing is kept")
    func erasure() async throws {
        let (world, _, id) = try await Self.story(key: "anna") { device in
            _ = try await device.world.contacts.erase("anna", app: device.world.app)
        }
        #expect(try await world.rows("center_messages") == 0)
        #expect(try await world.rows("badges") == 0)
        #expect(world.transport.requests.isEmpty)
        let counts = try await world.counts(id)
        #expect(counts.suppressed == 1 && counts.audience == 1)
    }
}
