import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Apps, their settings, attributes and credentials (ADM-2).
package struct AppService: Sendable {
    /// The app record, for the layers above.
    package typealias App = AppRecord

    package static let maximumNameLength = 200

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let vault: CredentialVault
    /// Whether endpoints that operators set may be on this machine (SEC-5).
    let endpointPolicy: EndpointPolicy
    let cache = AppCache()
    private let codes = KnownNames<String>()
    /// The list of known hashes of admin keys. It is discarded when an app is made, which comes with a key.
    private let keyHashes: KnownNames<[UInt8]>
    /// Updated at each lookup of an app, so it is as old as the cached app.
    package let v3InAppMessages = V3InAppAvailability()

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, vault: CredentialVault,
        endpointPolicy: EndpointPolicy, keyHashes: KnownNames<[UInt8]> = KnownNames()
    ) {
        self.database = database
        self.environment = environment
        self.vault = vault
        self.endpointPolicy = endpointPolicy
        self.keyHashes = keyHashes
    }

    /// Creates an app. The key is returned only here.
    package func create(code raw: String, name rawName: String) async throws -> (app: AppRecord, apiKey: String) {
        let (code, name) = try Self.parsed(code: raw, name: rawName)
        let now = environment.now()
        let key = AdminKeyService.secret(environment)
        let id = try await database.write { connection in
            do {
                let id = try connection.apps.insert(code: code, name: name, settings: AppSettings(), now: now)
                try connection.adminKeys.insert(
                    hash: AdminAccess.hash(key), app: id, scopes: AdminScope.allCases.map(\.rawValue), now: now
                )
                return id
            } catch StoreError.duplicate {
                throw ServiceError.conflict(message: "There is already an app with the code '\(code)'.")
            }
        }
        codes.change()
        keyHashes.change()
        return (AppRecord(id: id, code: code, name: name, settings: AppSettings()), key)
    }

    /// The app with this code. Throws for an unknown code (WIRE-22).
    package func find(_ raw: String) async throws -> AppRecord {
        let now = environment.now()
        if let app = cache.find(raw, now: now) { return app }
        let ticket = cache.ticket()
        guard let code = try? AppCode(raw), !codes.rejects(code.rawValue, now: now),
            let (app, mayAnswer) = try await look(for: code, now: now)
        else { throw ServiceError.unknownApp(String(raw.prefix(64))) }
        v3InAppMessages.note(app: app.id, mayAnswer: mayAnswer)
        cache.insert(app, now: now, ticket: ticket)
        return app
    }

    private func look(for code: AppCode, now: Date) async throws -> (app: AppRecord, mayAnswer: Bool)? {
        if let found = try await database.glance({ try Self.app(code, in: $0) }) { return found }
        if let ticket = codes.miss(now: now) {
            let limit = KnownNames<String>.maximumCount + 1
            codes.keep(try await database.read { try $0.apps.codes(limit: limit) }, now: now, ticket: ticket)
        }
        return nil
    }

    /// An app, and whether it may have on-event actions for uploaded events (IAM-13).
    private static func app(
        _ code: AppCode, in connection: any SQLConnection
    ) throws -> (app: AppRecord, mayAnswer: Bool)? {
        guard let app = try connection.apps.find(code) else { return nil }
        return (app, try connection.inAppCampaigns.hasActive(app: app.id))
    }

    /// The codes of apps, by their numbers.
    package func codes(of apps: Set<Int64>) async throws -> [Int64: String] {
        guard !apps.isEmpty else { return [:] }
        return try await database.read { connection in
            Dictionary(try connection.apps.codes(of: apps)) { first, _ in first }
        }
    }

    /// The app, if it was looked up recently. It does not read the store.
    package func cached(_ raw: String) -> AppRecord? {
        cache.find(raw, now: environment.now())
    }

    /// Lists apps in the order of their creation.
    ///
    /// - Parameters:
    ///   - only: the one app that the key of an app may see.
    ///   - cursor: the list continues after this number.
    /// - Returns: one page, and the cursor of the next.
    package func list(
        only: Int64?, after cursor: Int64?, limit: Int
    ) async throws -> (apps: [AppRecord], next: Int64?) {
        let found = try await database.read { try $0.apps.list(only: only, after: cursor, limit: limit + 1) }
        let (shown, next) = found.cut(to: limit) { $0.id }
        return (shown, next)
    }
}
