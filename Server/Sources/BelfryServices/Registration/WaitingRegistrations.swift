import BelfryModel
import BelfryStore
import Foundation

/// A device's registrations that were received but not processed yet. A call that changes the device applies them
/// first, in its own transaction. So the call comes after them, whatever clocks and orders say (WIRE-21), and what the
/// device said of one contact is not lost when it changes to another (REG-20).
struct WaitingRegistrations {
    let connection: any SQLConnection
    let environment: ServerEnvironment

    /// - Returns: the device's row after the registrations.
    func applied(to device: DeviceRow) throws -> DeviceRow {
        try ContactWordSteps.settle(device.id, in: connection, now: environment.now())
        var (reached, count): (Int64, Int) = (0, 0)
        while true {
            let (waiting, isCut) = try connection.registrations.waiting(
                of: device.id, above: device.revision, after: reached,
                limit: RegistrationRepository.maximumSettled - count
            )
            guard let last = waiting.last else { break }
            try apply(waiting)
            (reached, count) = (last.id, count + waiting.count)
            guard isCut, count < RegistrationRepository.maximumSettled else { break }
        }
        guard count > 0 else { return device }
        return try connection.devices.find(id: device.id) ?? device
    }

    private func apply(_ waiting: [RegistrationRow]) throws {
        let now = environment.now()
        // A registration that cannot be read, or that may crash the process, is left to the processor.
        let alone = Set(try connection.workAttempts.open(.registration).map(\.subject.number))
        let rows = waiting.filter { !alone.contains($0.id) }
        let snapshots = DecodedSnapshots(rows.map { WaitingSnapshot($0.key, text: $0.snapshot) })
        var processing = RegistrationProcessing(
            connection: connection, snapshots: snapshots, now: now, environment: environment
        )
        try processing.hold(for: rows)
        for row in rows where (try? snapshots.snapshot(of: row)) != nil { try processing.process(row) }
    }
}
