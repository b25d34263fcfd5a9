import BelfryModel
import BelfryStore

extension AppService {
    /// The app's settings as they are stored now, whoever changed them.
    package func settings(of app: AppRecord) async throws -> AppSettings {
        try await database.read { try $0.stored(app).settings }
    }

    /// Changes settings and returns them all. A change that is refused names every fault and changes nothing; one that
    /// is made through this process is seen at once (ADM-2).
    package func changeSettings(_ change: AppSettingsChange, of app: AppRecord) async throws -> AppSettings {
        let now = environment.now()
        let settings = try await database.write { connection in
            let settings = try SettingsCheck.settings(try connection.stored(app).settings, after: change)
            try connection.apps.save(settings: settings, of: app.id)
            // Dates without an offset are in the app's zone.
            if change.timeZone != .keep { try connection.inAppClocks.audiencesChanged(app: app.id, now: now) }
            return settings
        }
        cache.remove(app.code.rawValue)
        return settings
    }
}

extension SQLConnection {
    fileprivate func stored(_ app: AppRecord) throws -> AppRecord {
        guard let stored = try apps.find(id: app.id) else { throw ServiceError.unknownApp(app.code.rawValue) }
        return stored
    }
}
