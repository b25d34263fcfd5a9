import BelfryModel
import BelfryServerModel
import BelfryStore

extension AppService {
    /// The app's settings as they are stored now, whoever changed them.
    package func settings(of app: AppRecord) async throws -> AppSettings {
        try await database.read { try Self.stored(app, in: $0).settings }
    }

    /// Changes settings and returns them all. A change that is refused names every fault and changes nothing; one that
    /// is made through this process is seen at once (ADM-2).
    package func changeSettings(_ change: AppSettingsChange, of app: AppRecord) async throws -> AppSettings {
        let now = environment.now()
        let settings = try await database.write { connection in
            let settings = try SettingsCheck.settings(try Self.stored(app, in: connection).settings, after: change)
            try connection.apps.save(settings: settings, of: app.id)
            // Dates without an offset are in the app's zone.
            if change.timeZone != .keep { try connection.inAppRevisions.audiencesChanged(app: app.id, now: now) }
            return settings
        }
        cache.remove(app.code.rawValue)
        return settings
    }

    private static func stored(_ app: AppRecord, in connection: any SQLConnection) throws -> AppRecord {
        guard let stored = try connection.apps.find(id: app.id) else {
            throw ServiceError.unknownApp(app.code.rawValue)
        }
        return stored
    }
}
