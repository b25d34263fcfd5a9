import BelfryModel
import BelfryServerModel
import BelfryStore

extension AppService {
    /// The app's settings as they are stored now, with changes of other processes.
    package func settings(of app: AppRecord) async throws -> AppSettings {
        try await database.read { try Self.stored(app, in: $0).settings }
    }

    /// The app as it is stored now, with changes of other processes.
    package func stored(_ app: AppRecord) async throws -> AppRecord {
        try await database.read { try Self.stored(app, in: $0) }
    }

    /// Changes settings and returns all of them. A refused change names every error and changes nothing. A change by
    /// this process takes effect in it immediately (ADM-2).
    ///
    /// - Parameters:
    ///   - name: the app's new name. Nil: it keeps its name.
    ///   - check: gets the app in the transaction, and refuses a change that was based on another state (CON-10).
    package func changeSettings(
        _ change: AppSettingsChange, name: String? = nil, of app: AppRecord,
        unless check: @escaping @Sendable (AppRecord) throws -> Void = { _ in }
    ) async throws -> AppSettings {
        let now = environment.now()
        let name = try name.map(Self.checked(name:))
        let settings = try await database.write { connection in
            let stored = try Self.stored(app, in: connection)
            try check(stored)
            let settings = try SettingsCheck.settings(stored.settings, after: change)
            try connection.apps.save(settings: settings, of: app.id)
            if let name, name != stored.name { try connection.apps.save(name: name, of: app.id) }
            // Dates without an offset are in the app's time zone.
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
