import BelfryModel
import BelfryServerModel
import BelfryServerTestSupport
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// FLEET-4: how often an ordinary call of a device waits for PostgreSQL. A count, not a time.
@Suite(.enabled(if: !TestPostgres.isDistributed, TestPostgres.isOfOneServer))
struct RoundTripTests {
    /// The round trips of a call, once its connection is open. Which of the connections a call gets is not said, and one
    /// that is opened for it adds its own: so the least of some calls counts.
    private static func count(_ world: ServiceWorld, _ call: (_ time: Int) async throws -> Void) async throws -> Int {
        var least = Int.max
        for time in 0..<6 {
            let before = try #require(TestPostgres.roundTrips(of: world.database))
            try await call(time)
            least = min(least, try #require(TestPostgres.roundTrips(of: world.database)) - before)
        }
        return least
    }

    @Test("FLEET-4: an upload takes three round trips, however many events it has", arguments: [1, 50, 500])
    func events(_ count: Int) async throws {
        let world = try await ServiceWorld(.postgres)
        let device = try await ServiceDevice.started(world, 1)
        let trips = try await Self.count(world) { time in
            let events = try (0..<count).map { try Event.test("e\(time)-\($0)") }
            let caller = try device.authenticated()
            let stored = try await world.events.store(events, caller: caller)
            #expect(stored.value.count == count)
        }
        // The device, the events, the commit.
        #expect(trips == 3)
    }

    @Test("FLEET-4, EVT-3: an upload of events from an earlier week takes one round trip more", arguments: [1, 500])
    func earlierWeek(_ count: Int) async throws {
        let world = try await ServiceWorld(.postgres)
        let device = try await ServiceDevice.started(world, 1)
        let lastWeek = ServiceWorld.epoch.addingTimeInterval(-7 * 86_400)
        let trips = try await Self.count(world) { time in
            let events = try (0..<count).map { try Event.test("e\(time)-\($0)", at: lastWeek) }
            let caller = try device.authenticated()
            let stored = try await world.events.store(events, caller: caller)
            #expect(stored.value.count == count)
        }
        // The device, which of the events are there, the events, the commit.
        #expect(trips == 4)
    }

    @Test("FLEET-4, FLEET-2: an upload that tells of an opening takes three round trips as well")
    func opening() async throws {
        let world = try await ServiceWorld(.postgres)
        var device = try await ServiceDevice.started(world, 1)
        try await device.identify("anna")
        let trips = try await Self.count(world) { [device] time in
            world.clock.advance(by: 1)
            try await device.track(.test("s\(time)", .sessionStart, at: world.clock.now))
        }
        // The device, the event, the commit with the openings of device and contact.
        #expect(trips == 3)
        #expect(try await device.row.lastOpenedAt == world.clock.now)
    }

    @Test("FLEET-4: a fetch of a message center takes two round trips")
    func fetch() async throws {
        let world = try await ServiceWorld(.postgres)
        let device = try await ServiceDevice.started(world, 1)
        let trips = try await Self.count(world) { _ in
            let caller = try device.authenticated()
            _ = try await world.inboxService.messages(in: MessageCenterName.primary.rawValue, for: caller)
        }
        // The device with its center, the messages.
        #expect(trips == 2)
    }

    @Test("FLEET-4: a sync of in-app messages with nothing new takes one round trip")
    func sync() async throws {
        let world = try await ServiceWorld(.postgres)
        let device = try await ServiceDevice.started(world, 1)
        world.clock.advance(by: 10)
        let caller = try device.authenticated()
        let cursor = try await world.inApp.sync(since: nil, for: caller).value.cursor
        let trips = try await Self.count(world) { _ in
            let sync = try await world.inApp.sync(since: cursor, for: caller).value
            #expect(sync.cursor == cursor && sync.messages.isEmpty)
        }
        #expect(trips == 1)
    }

    @Test(
        "FLEET-4: a registration is received with three round trips, also a device's first",
        arguments: [false, true])
    func registration(_ isFirst: Bool) async throws {
        let world = try await ServiceWorld(.postgres)
        var devices: [ServiceDevice] = []
        for number in 1...6 { devices.append(try await ServiceDevice.started(world, number)) }
        let trips = try await Self.count(world) { [devices] time in
            let device = devices[isFirst ? time : 0]
            let caller = try device.authenticated()
            let id = "00000000-0000-4000-8000-00000000000\(time)"
            let snapshot = RegistrationSnapshot(
                deviceId: device.client.rawValue, registrationId: id, revision: Int64(time + 1), pushEnabled: true
            )
            let incoming = try IncomingSnapshot(
                deviceID: device.client.rawValue, registrationID: id, revision: Int64(time + 1),
                text: String(decoding: try JSONEncoder().encode(snapshot), as: UTF8.self), caller: caller
            )
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                world.registrations.receive(incoming, caller: caller) { result in
                    continuation.resume(with: result.map { _ in })
                }
            }
        }
        // The device, the registration, the commit.
        #expect(trips == 3)
    }

    @Test(
        "FLEET-4: the first link of a new device takes four round trips, also one that names its contact",
        arguments: [false, true])
    func firstLink(_ isNamed: Bool) async throws {
        let world = try await ServiceWorld(.postgres)
        let links = world.links
        let trips = try await Self.count(world) { time in
            let caller = try ServiceDevice(world, time + 1).caller()
            if isNamed {
                _ = try await links.identify(try ContactKey("person-\(time)"), field: nil, caller: caller)
            } else {
                _ = try await links.linkAnonymously(caller)
            }
        }
        // What is there, the contact, the device, the commit with the rest.
        #expect(trips == 4)
    }

    @Test("PERF-15: outcomes of two batches, and whether these are still lent, take one round trip, and the commit one")
    func outcomes() async throws {
        let world = try await ServiceWorld(.postgres)
        let (campaign, now) = (try #require(CampaignID(1)), world.clock.now)
        let trips = try await Self.count(world) { _ in
            let areLent = try await world.database.write { connection in
                for first in [Int64(1), 1_001] {
                    // Adjacent ones, and some that are not.
                    let (adjacent, others) = (Array(first..<first + 50), (Int64(50)..<70).map { first + 2 * $0 })
                    let ended = (adjacent + others).map { DeliveryUpdate(device: $0, state: .accepted, attempts: 1) }
                    try connection.deliveries.record(ended, campaign: campaign, now: now)
                }
                return try connection.batches.areStillLeased(
                    [Int64(1), 1_001].map { first in
                        let batch = Batch(campaign: campaign, number: first, devices: first...(first + 999))
                        return BatchRepository.Lease(batch: batch, owner: "w", isPlacing: false)
                    }
                )
            }
            #expect(areLent == [false, false])
        }
        #expect(trips == 2)
    }

    @Test("FLEET-4: processing a device's first registration takes a bounded number of round trips")
    func processing() async throws {
        let world = try await ServiceWorld(.postgres)
        func trips(_ devices: Range<Int>) async throws -> Int {
            for number in devices {
                var device = try await ServiceDevice.started(world, number)
                _ = try await device.register { $0.pushToken = "token\(number)" }
            }
            let before = try #require(TestPostgres.roundTrips(of: world.database))
            try await world.process()
            return try #require(TestPostgres.roundTrips(of: world.database)) - before
        }
        _ = try await trips(1..<2)
        let one = try await trips(2..<3)
        let many = try await trips(3..<13)
        #expect((many - one) / 9 <= 6, "\(one), \(many)")
    }
}
