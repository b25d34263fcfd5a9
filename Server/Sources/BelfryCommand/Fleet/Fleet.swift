import Foundation

/// Simulated devices, told what to do together.
package struct Fleet: Sendable {
    /// What `belfry simulate devices` says, after their count, when all have been launched.
    package static let runningText = "devices are running"

    /// How many do something at the same time.
    private static let width = 16

    let devices: [SimulatedDevice]

    init(
        count: Int, world: SimulatedDevice.World, behaviour: (Int) -> DeviceBehaviour = DeviceBehaviour.ofCrowd
    ) {
        devices = (0..<count).map { SimulatedDevice(index: $0, behaviour: behaviour($0), world: world) }
    }

    /// Some devices of a crowd, by their numbers.
    init(indices: [Int], world: SimulatedDevice.World) {
        devices = indices.map { SimulatedDevice(index: $0, behaviour: .ofCrowd($0), world: world) }
    }

    /// Does something with every device that the condition names.
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
