import BelfryModel
import Foundation

@testable import Belfry

/// Several devices that share a server, each with its own way to it.
final class Household: Sendable {
    struct Device: Sendable {
        let client: BelfryClient
        let wire: Wire
    }

    let world: World
    let devices: [Device]
    private let lost: [Locked<Bool>]

    /// - Parameter contact: everybody's.
    init(_ count: Int, contact: String, seed: UInt64) async throws {
        world = try World(seed: seed)
        var devices: [Device] = []
        var lost: [Locked<Bool>] = []
        for number in 0..<count {
            let isLost = Locked(false)
            let wire = Wire(to: world.server, clock: world.clock)
            wire.decide { _ in isLost.withLock { $0 } ? .lost : .delivered }
            let directory = world.directory.appendingPathComponent("device-\(number)")
            let client = try BelfryClient(
                configuration: BelfryConfiguration(
                    appCode: "shop", serverURL: world.configuration.serverURL, directory: directory
                ),
                platform: HeadlessPlatform(system: SystemProperties(platform: "ios")),
                transport: wire,
                environment: .manual(world.clock, Chance(seed: seed &* 1_000 &+ UInt64(number)))
            )
            try await client.engine.messageCenter.setEnabled(true)
            try await client.start()
            try await client.identify(contactKey: contact)
            await client.waitUntilIdle()
            devices.append(Device(client: client, wire: wire))
            lost.append(isLost)
        }
        self.devices = devices
        self.lost = lost
    }

    /// From now on nothing of that device arrives, or everything does.
    func set(_ device: Int, isOffline: Bool) {
        lost[device].withLock { $0 = isOffline }
    }

    func isOffline(_ device: Int) -> Bool {
        lost[device].withLock { $0 }
    }

    /// Everybody is well connected, and has the time to say what they have to say.
    func comeToRest() async throws {
        for number in devices.indices {
            set(number, isOffline: false)
        }
        for _ in 0..<2 {
            world.clock.advance(by: 1_000)
            for device in devices {
                try await device.client.networkReturns()
                await device.client.waitUntilIdle()
            }
        }
        for device in devices {
            try await device.client.engine.messageCenter.refresh()
        }
    }

    func end() async {
        for device in devices {
            await device.client.stop()
        }
    }
}
