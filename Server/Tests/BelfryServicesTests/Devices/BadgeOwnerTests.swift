import BelfryModel
import BelfryServices
import BelfryStore
import Foundation
import Testing

/// A badge tells one person something: who comes after them does not see it.
struct BadgeOwnerTests {
    private static func badged(_ device: ServiceDevice) async throws {
        let (client, app) = (device.client, device.world.app.id)
        let badge = try await device.world.database.write { connection in
            guard let device = try connection.devices.find(app: app, client: client) else { return Badge.none }
            return try connection.badges.set(count: 5, baseRevision: nil, device: device.id, maximum: 99)
        }
        #expect(badge == Badge(count: 5, revision: 1))
    }

    private static func badge(_ device: ServiceDevice) async throws -> Badge {
        let (client, app) = (device.client, device.world.app.id)
        return try await device.world.database.read { connection in
            let device = try connection.devices.find(app: app, client: client)
            return try device.map { try connection.badges.find(device: $0.id) } ?? .none
        }
    }

    @Test("ID-4: a logout, or another person's login, leaves no badge of the former user")
    func leaving() async throws {
        let world = try await ServiceWorld()
        for number in 1...3 {
            var device = try await ServiceDevice.started(world, number)
            try await device.identify("anna")
            try await Self.badged(device)
            world.clock.advance(by: 1)
            switch number {
            case 1: try await device.linkAnonymously()
            case 2: try await device.identify("bert")
            default: try await device.tell([:], key: "bert")
            }
            #expect(try await Self.badge(device) == Badge(count: 0, revision: 2), "\(number)")
        }
    }

    @Test("ID-8: a first login keeps the badge, and so does its repetition")
    func staying() async throws {
        let world = try await ServiceWorld()
        var device = try await ServiceDevice.started(world, 1)
        try await Self.badged(device)
        for _ in 0..<2 {
            world.clock.advance(by: 1)
            try await device.identify("anna")
            try await device.tell([:], key: "anna")
            #expect(try await Self.badge(device) == Badge(count: 5, revision: 1))
        }
    }

    @Test("WIRE-20: a revoked device has no badge; one whose id an impostor names keeps its own")
    func newInstallation() async throws {
        let world = try await ServiceWorld()
        let revoked = try await ServiceDevice.started(world, 1)
        let named = try await ServiceDevice.started(world, 2)
        for device in [revoked, named] { try await Self.badged(device) }
        try await world.links.revoke(revoked.client.rawValue, app: world.app)
        world.clock.advance(by: 1)
        var impostor = try ServiceDevice(world, 2)
        try await impostor.identify("bert")
        #expect(try await Self.badge(revoked) == Badge(count: 0, revision: 2))
        let (client, app) = (named.client, world.app.id)
        let badges = try await world.database.read { connection in
            try connection.devices.numbers(app: app, client: client).map { try connection.badges.find(device: $0) }
        }
        #expect(badges == [Badge(count: 5, revision: 1), .none])
    }
}
