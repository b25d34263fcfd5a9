import BelfryModel
import BelfryStore
import Crypto
import Foundation

/// Checks bearer keys and writes the audit log; only hashes of keys are kept.
package struct AdminAccess: Sendable {
    package static let minimumKeyLength = 32

    let database: any SQLDatabase
    let environment: ServerEnvironment
    package let log: AuditLog
    private let rootKeyHash: [UInt8]
    private let hashes: KnownNames<[UInt8]>

    /// - Parameters:
    ///   - rootKey: at least 32 characters.
    ///   - hashes: of the keys that there are; whoever makes a key here tells it.
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
        guard !hashes.refuse(hash, now: now) else { return nil }
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

    /// What the audit log is told of work that has ended.
    package enum Told: Hashable, Sendable {
        case done(app: AppCode?, target: String?)
        /// Nothing was done of what was asked.
        case refused
    }

    /// Does what changes the store. The audit log has it by the transaction of the first write: no change is there of
    /// which nobody knows who made it, though the process may die right after it. Where several writes follow, the line
    /// comes with the first of them, and says in the end if they have failed. What is known only when the work has ended,
    /// such as the number of what it made, is added then. Work that writes nothing is told when it has ended.
    ///
    /// - Parameters:
    ///   - target: to what it is done, as far as that is known before.
    ///   - told: what its end means.
    package func telling<Output>(
        _ action: String, by principal: AdminPrincipal, app: AppCode?, target: String? = nil,
        _ work: () async throws -> Output, as told: (Output) -> Told
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
        switch told(output) {
        case .done(let app, let target):
            let done = AuditEntry(
                at: begun.at, actor: begun.actor, app: app?.rawValue, action: action, target: target
            )
            guard let number = line.end() else {
                try await log.append(done)
                return output
            }
            // What was done is done: a line that the database never lets be completed says less.
            if done != begun { try? await log.complete(number, as: done) }
        case .refused:
            await fail(line, begun)
        }
        return output
    }

    /// What has changed something and failed after all is called so; of what has changed nothing there is no line.
    private func fail(_ line: CarriedLine, _ begun: AuditEntry) async {
        guard let number = line.end() else { return }
        let failed = AuditEntry(
            at: begun.at, actor: begun.actor, app: begun.app, action: "\(begun.action).fail", target: begun.target
        )
        // What went wrong is what its person is told.
        try? await log.complete(number, as: failed)
    }

    private func entry(of principal: AdminPrincipal, action: String, app: AppCode?, target: String?) -> AuditEntry {
        AuditEntry(at: environment.now(), actor: principal.name, app: app?.rawValue, action: action, target: target)
    }

    /// Does what no transaction does, such as a push, or what many do, such as an erasure: the audit log has that it begins
    /// before it does, and whether it has failed. So nothing is done of which nobody knows who did it, though the process
    /// may die in between; while the database takes no line, nothing is done. Whoever calls writes what was done.
    ///
    /// - Parameter action: what the audit log calls it when it is done.
    package func announcing<Output>(
        _ action: String, by principal: AdminPrincipal, app: AppCode, target: String?,
        _ work: () async throws -> Output
    ) async throws -> Output {
        try await CarriedLine.withNone {
            try await log.announce(entry(of: principal, action: "\(action).begin", app: app, target: target))
            do {
                return try await work()
            } catch {
                // What went wrong is what its person is told.
                try? await audit(principal, action: "\(action).fail", app: app, target: target)
                throw error
            }
        }
    }

    /// Whether a key is the root key; all others are looked up.
    package func isRoot(bearer: String?) -> Bool {
        guard let bearer, !bearer.isEmpty else { return false }
        return constantTimeEqual(Self.hash(bearer), rootKeyHash)
    }

    static func hash(_ key: String) -> [UInt8] {
        Array(SHA256.hash(data: Data(key.utf8)))
    }
}
