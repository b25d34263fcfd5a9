import BelfryModel
import BelfryPush
import BelfryStore
import Crypto
import Foundation

/// Stores the responses to writes that carry an `Idempotency-Key`, so that a client that repeats a call because the
/// response was lost does nothing twice (ADM-3). A key belongs to one principal.
///
/// The row for the response is reserved before the write and filled after it. If the process dies in between, or the
/// response is a server error, nobody knows whether the write happened. Then the key is refused for as long as a
/// response would be kept, so that nothing is done twice.
package struct IdempotencyStore: Sendable {
    package static let maximumKeyLength = 255
    /// How long a response, or a reserved row, is kept, in seconds.
    package static let lifetime: TimeInterval = 24 * 3600
    /// How long a write may be in progress, in seconds. No write of the admin API takes nearly as long; after it, no
    /// response will come.
    package static let patience: TimeInterval = 60
    /// The longest body that is stored, in bytes. Of a longer one only the status is stored.
    package static let maximumResponseBytes = 262_144
    /// The size of a reserved row without its response, in bytes.
    static let placeBytes = 1_024

    package struct StoredResponse: Hashable, Sendable {
        /// The HTTP status.
        package let status: Int
        package let body: [UInt8]

        package init(status: Int, body: [UInt8]) {
            self.status = status
            self.body = body
        }
    }

    /// The row that is reserved for a response.
    package struct Reservation: Hashable, Sendable {
        fileprivate let principal: String
        fileprivate let key: String
        fileprivate let reservedAt: Date
    }

    package enum Beginning: Hashable, Sendable {
        /// The write is new: do it, and store the response.
        case first(Reservation)
        /// The write was done before; this is its response.
        case repeated(StoredResponse)
        /// Do the write without a stored response, because the disk is below its floor. A repeated call does it again.
        case unkept
    }

    let database: any SQLDatabase
    let keys: ServerKeys
    let limits: RequestLimits
    let storage: StorageWatch
    let environment: ServerEnvironment

    /// - Parameters:
    ///   - limits: how much may be stored for a principal.
    ///   - storage: knows whether anything may be stored.
    package init(
        database: any SQLDatabase, keys: ServerKeys, limits: RequestLimits, storage: StorageWatch,
        environment: ServerEnvironment
    ) {
        self.database = database
        self.keys = keys
        self.limits = limits
        self.storage = storage
        self.environment = environment
    }

    /// Reserves a row for the response. Refuses a write when the principal has no room left, before the write, so that
    /// the response of every completed write is stored.
    ///
    /// - Parameter request: all that identifies the request: method, address, body.
    package func begin(
        _ key: String, of principal: AdminPrincipal, request: [[UInt8]]
    ) async throws -> Beginning {
        let now = environment.now()
        let hash = Self.hash(request)
        let ticket = Reservation(principal: principal.name, key: key, reservedAt: now)
        if let existing = try await database.read({ try $0.idempotency.existing(for: ticket, now: now) }) {
            return .repeated(try answer(existing, to: hash, ticket, now: now))
        }
        guard !storage.isLow else { return .unkept }
        try limits.admitKept(bytes: Self.maximumCharge, of: ticket.principal)
        let existing: IdempotentResponseRow?
        do {
            existing = try await database.write { connection -> IdempotentResponseRow? in
                if let row = try connection.idempotency.existing(for: ticket, now: now) { return row }
                try connection.idempotency.reserve(
                    principal: ticket.principal, key: key, requestHash: hash, now: now
                )
                return nil
            }
        } catch {
            limits.putBackKept(bytes: Self.maximumCharge, of: ticket.principal)
            throw error
        }
        guard let existing else { return .first(ticket) }
        limits.putBackKept(bytes: Self.maximumCharge, of: ticket.principal)
        return .repeated(try answer(existing, to: hash, ticket, now: now))
    }

    package func keep(_ answer: StoredResponse, for ticket: Reservation) async throws {
        // Some responses contain a secret that is shown only once, so bodies are encrypted. An encrypted body is never
        // empty.
        let sealed =
            answer.body.count > Self.maximumResponseBytes
            ? "" : Base64URL.encode(try keys.seal(answer.body, context: Self.context(ticket)))
        limits.putBackKept(bytes: Self.maximumCharge - Self.placeBytes - sealed.utf8.count, of: ticket.principal)
        try await database.write {
            try $0.idempotency.fill(
                principal: ticket.principal, key: ticket.key, reservedAt: ticket.reservedAt, status: answer.status,
                body: sealed
            )
        }
    }

    /// Removes the reserved row. The write was refused before it did anything, and a later attempt may succeed.
    package func release(_ ticket: Reservation) async throws {
        limits.putBackKept(bytes: Self.maximumCharge, of: ticket.principal)
        try await database.write {
            try $0.idempotency.release(
                principal: ticket.principal, key: ticket.key, reservedAt: ticket.reservedAt
            )
        }
    }

    private func answer(
        _ row: IdempotentResponseRow, to hash: [UInt8], _ ticket: Reservation, now: Date
    ) throws -> StoredResponse {
        guard row.requestHash == hash else {
            throw ServiceError.invalid(
                "Idempotency-Key", "idempotencyKeyReused",
                "This Idempotency-Key was used for another request. A key is valid for one method, path and body."
            )
        }
        if row.status == nil, abs(now.timeIntervalSince(row.createdAt)) < Self.patience {
            throw ServiceError.conflict(
                code: "idempotencyKeyInUse",
                message: "The first request with this key is still running. Try again in a moment."
            )
        }
        guard let status = row.status, status < Self.firstServerError else {
            throw ServiceError.conflict(
                code: "idempotencyKeyUnanswered",
                message: "The outcome of the first request with this key is unknown. Check whether it took effect; if "
                    + "not, send it with a new key."
            )
        }
        guard !row.body.isEmpty else {
            throw ServiceError.conflict(
                code: "answerNotKept",
                message:
                    "The first request with this key was carried out, with status \(status). Its response exceeded "
                    + "\(Self.maximumResponseBytes) bytes and was not stored; read the resource instead."
            )
        }
        guard let sealed = Base64URL.decode(row.body), let body = try? keys.open(sealed, context: Self.context(ticket))
        else {
            throw ServiceError.conflict(
                message: "The first request with this key was carried out. Its stored response can no longer be "
                    + "decrypted, because the server's secret key has changed."
            )
        }
        return StoredResponse(status: status, body: body)
    }

    /// The lowest HTTP status that means a server error.
    private static let firstServerError = 500

    /// The size of the longest response, encrypted and in base64, with its row.
    private static let maximumCharge = placeBytes + (maximumResponseBytes + sealBytes + 2) / 3 * 4
    /// The bytes that encryption adds: a nonce and a tag.
    private static let sealBytes = 28

    private static func hash(_ parts: [[UInt8]]) -> [UInt8] {
        var digest = SHA256()
        for part in parts {
            // Each part follows its length, so that no part can be mistaken for the beginning of the next.
            digest.update(data: Data("\(part.count):".utf8))
            digest.update(data: Data(part))
        }
        return Array(digest.finalize())
    }

    private static func context(_ ticket: Reservation) -> String {
        "idempotent-answer:\(ticket.principal.utf8.count):\(ticket.principal):\(ticket.key)"
    }
}

extension IdempotencyRepository {
    /// The response that is stored under the ticket's key; nil if there is none.
    fileprivate func existing(for ticket: IdempotencyStore.Reservation, now: Date) throws -> IdempotentResponseRow? {
        guard let row = try find(principal: ticket.principal, key: ticket.key) else { return nil }
        // A clock that was set far back or ahead must not hold a key for ever.
        return abs(now.timeIntervalSince(row.createdAt)) < IdempotencyStore.lifetime ? row : nil
    }
}
