import BelfryModel
import BelfryPush
import BelfryStore
import Foundation

/// Apps, their settings, attributes and credentials (ADM-2).
package struct AppService: Sendable {
    static let maximumNameLength = 200
    static let maximumAttributes = 500

    let database: any SQLDatabase
    let environment: ServerEnvironment
    let vault: CredentialVault
    /// Whether operator-set endpoints may lie on this machine (SEC-5).
    let endpointPolicy: EndpointPolicy

    package init(
        database: any SQLDatabase, environment: ServerEnvironment, vault: CredentialVault,
        endpointPolicy: EndpointPolicy
    ) {
        self.database = database
        self.environment = environment
        self.vault = vault
        self.endpointPolicy = endpointPolicy
    }

    /// Makes an app; the key is shown this once.
    package func create(code raw: String, name rawName: String) async throws -> (app: AppRecord, apiKey: String) {
        let code: AppCode
        do {
            code = try AppCode(raw)
        } catch {
            throw ServiceError.invalid(field: "code", error)
        }
        let name = rawName.trimmingCharacters(in: .whitespacesAndNewlines)
        guard (1...Self.maximumNameLength).contains(name.count) else {
            throw ServiceError.invalid(
                "name", "invalidLength", "A name has 1 to \(Self.maximumNameLength) characters."
            )
        }
        let now = environment.now()
        let key = "bk_" + Base64URL.encode(environment.randomBytes(32))
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
        return (AppRecord(id: id, code: code, name: name, settings: AppSettings()), key)
    }

    /// The app with this code; an unknown one is refused (WIRE-22).
    package func find(_ raw: String) async throws -> AppRecord {
        guard let code = try? AppCode(raw), let app = try await database.read({ try $0.apps.find(code) }) else {
            throw ServiceError.unknownApp(String(raw.prefix(64)))
        }
        return app
    }

    package func list() async throws -> [AppRecord] {
        try await database.read { try $0.apps.all() }
    }

    /// Defines an attribute, or changes its type; reserved names are refused.
    package func defineAttribute(_ raw: String, type: AttributeType, app: AppRecord) async throws {
        let key: AttributeKey
        do {
            key = try AttributeKey(raw)
        } catch {
            throw ServiceError.invalid(field: "key", error)
        }
        let now = environment.now()
        try await database.write { connection in
            let schema = try connection.attributes.schema(app: app.id)
            guard schema[key.rawValue] != nil || schema.count < Self.maximumAttributes else {
                throw ServiceError.conflict(message: "An app has at most \(Self.maximumAttributes) attributes.")
            }
            try connection.attributes.define(key, type: type, app: app.id, now: now)
        }
    }

    package func attributes(of app: AppRecord) async throws -> [String: AttributeType] {
        try await database.read { try $0.attributes.schema(app: app.id) }
    }

    /// Stores APNs credentials, sealed, and lifts the opt-outs that wrong ones had caused (REG-33).
    package func putAPNsCredentials(_ secret: CredentialVault.APNsSecret, app: AppRecord) async throws {
        do {
            let credentials = try secret.parsed()
            try endpointPolicy.check(credentials.productionEndpoint, field: "endpoint")
            try endpointPolicy.check(credentials.sandboxEndpoint, field: "sandboxEndpoint")
        } catch let refusal as FieldRefusal {
            throw ServiceError.invalid(field: refusal.field, refusal.refusal)
        }
        let sealed = try vault.seal(secret, app: app.id)
        let now = environment.now()
        try await database.write { connection in
            try connection.credentials.save(sealed, app: app.id, provider: .apns, now: now)
            _ = try connection.devices.liftOptOuts(
                app: app.id, provider: .apns, reason: .providerAuthentication, now: now
            )
        }
    }
}

/// Where operators may point the server (SEC-5).
package enum EndpointPolicy: Hashable, Sendable {
    /// Only names and public addresses.
    case publicOnly
    /// Private and loopback addresses as well: a server that itself listens on loopback only.
    case anywhere

    func check(_ endpoint: PushEndpoint, field: String) throws(ServiceError) {
        guard self == .publicOnly, Self.isPrivate(endpoint.host) else { return }
        throw .invalid(
            field, "privateAddress",
            "'\(endpoint.host)' is a private address; start the server with --allow-private-endpoints to permit it."
        )
    }

    static func isPrivate(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host.hasSuffix(".local") { return true }
        if host.contains(":") {
            let head = host.lowercased()
            return head == "::1" || head == "::" || head.hasPrefix("fe80") || head.hasPrefix("fc")
                || head.hasPrefix("fd") || head.hasPrefix("::ffff:")
        }
        let parts = host.split(separator: ".").compactMap { UInt8($0) }
        // Other spellings of an address in numbers (a single number, hexadecimal) are nobody's push service.
        let looksNumeric = host.allSatisfy { $0.isHexDigit || $0 == "." || $0 == "x" } && host.first?.isNumber == true
        guard parts.count == 4 else { return looksNumeric }
        switch (parts[0], parts[1]) {
        case (0, _), (10, _), (127, _), (169, 254), (192, 168): return true
        case (172, 16...31), (100, 64...127): return true
        case (224..., _): return true
        default: return false
        }
    }
}
