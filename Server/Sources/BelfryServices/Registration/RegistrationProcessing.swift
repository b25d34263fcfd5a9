import BelfryStore
import Foundation

/// Applies registrations that wait, one after the other, in one transaction: that of the processor, or of a call before
/// which they come (``WaitingRegistrations``). Whoever processes one has claimed it.
struct RegistrationProcessing {
    let connection: any SQLConnection
    let snapshots: DecodedSnapshots
    let now: Date
    let environment: ServerEnvironment
    private var rules: [Int64: AppRules] = [:]

    init(connection: any SQLConnection, snapshots: DecodedSnapshots, now: Date, environment: ServerEnvironment) {
        self.connection = connection
        self.snapshots = snapshots
        self.now = now
        self.environment = environment
    }

    mutating func process(_ row: RegistrationRow) throws {
        guard let device = try connection.devices.find(id: row.device), try !hasEnded(device) else {
            return try connection.registrations.finish(row.id, status: .superseded, rejected: [], now: now)
        }
        let appRules = try rules[device.app] ?? AppRules(of: device.app, in: connection)
        rules[device.app] = appRules
        var application = SnapshotApplication(
            connection: connection, row: row, snapshots: snapshots, device: device, rules: appRules, now: now,
            environment: environment
        )
        try application.apply()
    }

    /// Whether what it says was said by an installation that has ended, and is to be removed. Such a device has no contact.
    private func hasEnded(_ device: DeviceRow) throws -> Bool {
        try device.contact == nil && connection.endedInstallations.contains(device.id)
    }
}
