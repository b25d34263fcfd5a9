import BelfryModel
import BelfryRules
import BelfryServerModel
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
        guard let device = try connection.devices.find(id: row.device) else {
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
}

/// What an app says of its contacts; a group of registrations reads it once.
struct AppRules {
    let schema: [String: AttributeType]
    let settings: AppSettings

    init(of app: Int64, in connection: any SQLConnection) throws {
        guard let record = try connection.apps.find(id: app) else {
            throw StoreError.corrupted(table: "apps", key: String(app))
        }
        schema = try connection.attributes.schema(app: app)
        settings = record.settings
    }

    var contactKeys: ContactKeyRule { ContactKeyRule(settings) }
}

extension ContactKeyRule {
    init(_ settings: AppSettings) {
        if settings.identityMode == .verified {
            self = .proven
        } else {
            // What names no field is of the app's own.
            self = settings.contactFields == nil || settings.contactField != nil ? .stated : .fielded
        }
    }
}
