import BelfryModel
import BelfryStore
import Crypto
import Foundation

/// Checks bearer keys and writes the audit log. Only hashes of keys are stored.
package struct AdminAccess: Sendable {
    package static let minimumKeyLength = 32

    let database: any SQLDatabase
    let environment: ServerEnvironment
    package let log: AuditLog
    private let rootKeyHash: [UInt8]
    private let hashes: KnownNames<[UInt8]>

    /// - Parameters:
    ///   - rootKey: at least 32 characters.
    ///   - hashes: the list of known hashes of admin keys; it is discarded when this process makes a key.
    package init(
        rootKey: String, database: any SQLDatabase, environment: ServerEnvironment,
        hashes: KnownNames<[UInt8]> = KnownNames()
    ) {
        self.database = database
        self.environment = environment
        log = AuditLog(database: database)
        self.hashes = hashes
        rootKeyHash = Self.hash(rootKey)
    }

    package func principal(bearer: String?) async throws -> AdminPrincipal {
        guard let bearer, !bearer.isEmpty else {
            throw ServiceError.unauthorized(
                code: "unauthorized", message: "Send an admin key: 'Authorization: Bearer <key>'."
            )
        }
        let hash = Self.hash(bearer)
        if constantTimeEqual(hash, rootKeyHash) {
            return AdminPrincipal(name: "root", app: nil, scopes: Set(AdminScope.allCases))
        }
        guard let record = try await look(for: hash) else {
            throw ServiceError.unauthorized(code: "unauthorized", message: "The admin key is unknown.")
        }
        if let end = record.expiresAt, end <= environment.now() {
            throw ServiceError.unauthorized(code: "unauthorized", message: "The admin key has expired.")
        }
        return AdminPrincipal(
            name: record.name, app: record.app, scopes: Set(record.scopes.compactMap(AdminScope.init))
        )
    }

    private func look(for hash: [UInt8]) async throws -> AdminKeyRecord? {
        let now = environment.now()
        guard !hashes.rejects(hash, now: now) else { return nil }
        if let record = try await database.read({ try $0.adminKeys.find(hash: hash) }) { return record }
        if let ticket = hashes.miss(now: now) {
            let limit = KnownNames<[UInt8]>.maximumCount + 1
            hashes.keep(try await database.read { try $0.adminKeys.hashes(limit: limit) }, now: now, ticket: ticket)
        }
        return nil
    }

    package func audit(_ principal: AdminPrincipal, action: String, app: AppCode?, target: String?) async throws {
        try await log.append(entry(of: principal, action: action, app: app, target: target))
    }

    /// The result of work that has ended, as the audit log records it.
    package enum AuditOutcome: Hashable, Sendable {
        case done(app: AppCode?, target: String?)
        /// The work was refused and has changed nothing.
        case rejected
    }

    /// Does work that changes the store, and writes it to the audit log in the transaction of its first write. So the
    /// log names the author of every change, even if the process dies right after it. If several writes follow, the
    /// line comes with the first of them and is completed at the end if they fail. Facts that are known only at the
    /// end, such as the number of a new row, are added then. Work that writes nothing gets its line when it has ended.
    ///
    /// - Parameters:
    ///   - target: the object of the action, as far as it is known beforehand.
    ///   - outcome: maps the output to what the log records.
    package func auditing<Output>(
        _ action: String, by principal: AdminPrincipal, app: AppCode?, target: String? = nil,
        _ work: () async throws -> Output, as outcome: (Output) -> AuditOutcome
    ) async throws -> Output {
        let begun = entry(of: principal, action: action, app: app, target: target)
        let line = CarriedLine(begun)
        let output: Output
        do {
            output = try await line.carried(by: work)
        } catch {
            await fail(line, begun)
            throw error
        }
        switch outcome(output) {
        case .done(let app, let target):
            let done = AuditEntry(
                at: begun.at, actor: begun.actor, app: app?.rawValue, action: action, target: target
            )
            guard let number = line.end() else {
                try await log.append(done)
                return output
            }
            // The work is done in any case. If the database never lets the line be completed, the line says less.
            if done != begun { try? await log.complete(number, as: done) }
        case .rejected:
            await fail(line, begun)
        }
        return output
    }

    /// Marks the line as failed if the work has changed something before it failed. Work that has changed nothing has
    /// no line.
    private func fail(_ line: CarriedLine, _ begun: AuditEntry) async {
        guard let number = line.end() else { return }
        let failed = AuditEntry(
            at: begun.at, actor: begun.actor, app: begun.app, action: "\(begun.action).fail", target: begun.target
        )
        // The caller gets the error of the work, not one of the log.
        try? await log.complete(number, as: failed)
    }

    private func entry(of principal: AdminPrincipal, action: String, app: AppCode?, target: String?) -> AuditEntry {
        AuditEntry(at: environment.now(), actor: principal.name, app: app?.rawValue, action: action, target: target)
    }

    /// Does work that has no transaction of its own, such as a push, or several, such as an erasure. The audit log
    /// records the beginning before the work starts, and its failure. So the log names the author even if the process
    /// dies in between. If the database takes no line, the work does not start. The caller logs the success.
    ///
    /// - Parameter action: the name that the audit log uses when the work is done.
    package func announcing<Output>(
        _ action: String, by principal: AdminPrincipal, app: AppCode, target: String?,
        _ work: () async throws -> Output
    ) async throws -> Output {
        try await CarriedLine.withNone {
            try await log.announce(entry(of: principal, action: "\(action).begin", app: app, target: target))
            do {
                return try await work()
            } catch {
                // The caller gets the error of the work, not one of the log.
                try? await audit(principal, action: "\(action).fail", app: app, target: target)
                throw error
            }
        }
    }

    /// Whether a key is the root key. All other keys are looked up in the store.
    package func isRoot(bearer: String?) -> Bool {
        guard let bearer, !bearer.isEmpty else { return false }
        return constantTimeEqual(Self.hash(bearer), rootKeyHash)
    }

    static func hash(_ key: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(key.utf8)))
    }
}
