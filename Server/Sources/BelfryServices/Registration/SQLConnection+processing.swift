import BelfryModel
import BelfryStore
import Foundation

extension SQLConnection {
    func process(
        _ row: RegistrationRow, _ snapshots: DecodedSnapshots, rules: inout [Int64: AppRules], now: Date,
        _ environment: ServerEnvironment
    ) throws {
        guard let device = try devices.find(id: row.device) else {
            return try registrations.finish(row.id, status: .superseded, rejected: [], now: now)
        }
        let appRules = try rules[device.app] ?? AppRules(of: device.app, in: self)
        rules[device.app] = appRules
        var application = SnapshotApplication(
            connection: self, row: row, snapshots: snapshots, device: device, rules: appRules, now: now,
            environment: environment
        )
        try application.apply()
    }

    /// What the device has said before and nobody has processed yet is applied first, since what it says now comes after
    /// it, whatever clocks and orders say (WIRE-21); and what it said of one contact is not lost when it leaves for
    /// another (REG-20).
    func settled(_ device: DeviceRow, _ environment: ServerEnvironment) throws -> DeviceRow {
        let waiting = try registrations.claimWaiting(of: device.id, above: device.revision)
        guard !waiting.isEmpty else { return device }
        let now = environment.now()
        // One that cannot be read, or that may end the process, is the processor's.
        let alone = Set(try workAttempts.open(.registration).map(\.subject.number))
        let rows = waiting.filter { !alone.contains($0.id) }
        let snapshots = DecodedSnapshots(rows.map { WaitingSnapshot(id: $0.id, text: $0.snapshot) })
        var rules: [Int64: AppRules] = [:]
        for row in rows where (try? snapshots.snapshot(of: row)) != nil {
            try process(row, snapshots, rules: &rules, now: now, environment)
        }
        return try devices.find(id: device.id) ?? device
    }
}
