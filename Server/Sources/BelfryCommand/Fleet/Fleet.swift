import Foundation

/// Simulated devices that do something together.
package struct Fleet: Sendable {
    /// The line that `belfry simulate devices` prints after the count when all devices have been launched.
    package static let runningText = "devices are running"

    /// How many devices act at the same time.
    private static let width = 16

    let devices: [SimulatedDevice]

    init(
        count: Int, world: SimulatedDevice.World, behaviour: (Int) -> DeviceBehaviour = DeviceBehaviour.ofCrowd
    ) {
        devices = (0..<count).map { SimulatedDevice(index: $0, behaviour: behaviour($0), world: world) }
    }

    /// Makes the devices of a crowd with these numbers.
    init(indices: [Int], world: SimulatedDevice.World) {
        devices = indices.map { SimulatedDevice(index: $0, behaviour: .ofCrowd($0), world: world) }
    }

    /// Runs the body for every device that meets the condition.
    func each(
        where condition: (DeviceBehaviour) -> Bool = { _ in true },
        _ action: @escaping @Sendable (SimulatedDevice) async throws -> Void
    ) async throws {
        var waiting = devices.filter { condition($0.behaviour) }.makeIterator()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<Self.width {
                guard let device = waiting.next() else { break }
                group.addTask { try await action(device) }
            }
            while try await group.next() != nil {
                guard let device = waiting.next() else { continue }
                group.addTask { try await action(device) }
            }
        }
    }
}
