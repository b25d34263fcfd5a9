import BelfryModel
import BelfryStore
import Foundation

/// Applies waiting registrations, one after the other, in one transaction: that of the processor, or of a call that
/// must come after them (``WaitingRegistrations``). The caller has claimed them.
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

    /// Holds whom the registrations are about: the contacts that their devices have, and those that they name. It comes
    /// before the first of them is processed.
    func hold(for rows: [RegistrationRow]) throws {
        try connection.hold {
            let devices = Set(rows.map(\.device)).sorted()
            let links = try connection.devices.registeringLinks(ids: devices).compactMap { $0?.link }
            let linkOfDevice = Dictionary(uniqueKeysWithValues: links.map { ($0.id, $0) })
            let named = rows.compactMap { row -> (app: Int64, key: String)? in
                guard let link = linkOfDevice[row.device], row.revision > link.revision,
                    let stated = (try? snapshots.snapshot(of: row))?.contactKey, let key = try? ContactKey(stated)
                else { return nil }
                return (link.app, key.rawValue)
            }
            return try links.map(\.contact) + connection.contacts.numbers(of: named).map { Optional($0) }
        }
    }

    mutating func process(_ row: RegistrationRow) throws {
        guard var application = try self.application(of: row) else { return }
        try application.apply()
    }

    /// Does the first step of a registration where several servers hold the database together.
    ///
    /// - Returns: whether there are others to do.
    mutating func begin(_ row: RegistrationRow, keeping words: ContactWordRepository) throws -> Bool {
        guard var application = try self.application(of: row) else { return false }
        return try application.begin(keeping: words)
    }

    /// Nil if it is superseded, for its installation has ended.
    private mutating func application(of row: RegistrationRow) throws -> SnapshotApplication? {
        guard let device = try connection.devices.find(id: row.device), try !hasEnded(device) else {
            try connection.registrations.finish(row.key, status: .superseded, rejected: [], now: now)
            return nil
        }
        let appRules = try rules[device.app] ?? AppRules(of: device.app, in: connection)
        rules[device.app] = appRules
        return SnapshotApplication(
            connection: connection, row: row, snapshots: snapshots, device: device, rules: appRules, now: now,
            environment: environment
        )
    }

    /// Whether the registration came from an installation that has ended and whose data is being removed. Such a device
    /// has no contact.
    private func hasEnded(_ device: DeviceRow) throws -> Bool {
        try device.contact == nil && connection.endedInstallations.contains(device.id)
    }
}
