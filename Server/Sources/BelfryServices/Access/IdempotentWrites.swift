import BelfryModel
import BelfryPush
import BelfryStore
import Crypto
import Foundation

/// Remembers the answers to writes that carry an `Idempotency-Key`, so that one who asks again, because the answer got
/// lost, does nothing twice (ADM-3). A key belongs to one principal.
///
/// The place for the answer is kept before the write and filled after it. Between the two the process may die, and an
/// answer that is a fault of the server does not tell either whether the write happened: then the key is refused as
/// long as an answer would be kept, and nothing is done twice.
package struct IdempotentWrites: Sendable {
    package static let maximumKeyLength = 255
    /// For how long an answer is repeated, and a place is kept, in seconds.
    package static let lifetime: TimeInterval = 24 * 3600
    /// For how long a write may be under way, in seconds; no write of the admin API takes nearly as long. After it,
    /// nobody brings the answer any more.
    package static let patience: TimeInterval = 60

    package struct Answer: Hashable, Sendable {
        /// Of HTTP.
        package let status: Int
        package let body: [UInt8]

        package init(status: Int, body: [UInt8]) {
            self.status = status
            self.body = body
        }
    }

    /// The place that is kept for an answer.
    package struct Ticket: Hashable, Sendable {
        fileprivate let principal: String
        fileprivate let key: String
        fileprivate let reservedAt: Date
    }

    package enum Beginning: Hashable, Sendable {
        /// Do it, and bring the answer.
        case first(Ticket)
        /// It was done.
        case repeated(Answer)
    }

    let database: any SQLDatabase
    let keys: ServerKeys
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, keys: ServerKeys, environment: ServerEnvironment) {
        self.database = database
        self.keys = keys
        self.environment = environment
    }

    /// - Parameter request: all that makes the request what it is: method, address, body.
    package func begin(
        _ key: String, of principal: AdminPrincipal, request: [[UInt8]]
    ) async throws -> Beginning {
        let now = environment.now()
        let hash = Self.hash(request)
        let ticket = Ticket(principal: principal.name, key: key, reservedAt: now)
        let standing = try await database.write { connection -> IdempotentAnswerRow? in
            let answers = connection.idempotency
            if let row = try answers.find(principal: ticket.principal, key: key), !Self.isOver(row, now: now) {
                return row
            }
            try answers.reserve(principal: ticket.principal, key: key, requestHash: hash, now: now)
            return nil
        }
        guard let standing else { return .first(ticket) }
        return .repeated(try answer(standing, to: hash, ticket, now: now))
    }

    package func keep(_ answer: Answer, for ticket: Ticket) async throws {
        // Some answers hold a secret that is shown this once.
        let sealed = Base64URL.encode(try keys.seal(answer.body, context: Self.context(ticket)))
        try await database.write {
            try $0.idempotency.fill(
                principal: ticket.principal, key: ticket.key, reservedAt: ticket.reservedAt, status: answer.status,
                body: sealed
            )
        }
    }

    /// The write was refused before it did anything, and the refusal may end: whoever comes again tries again.
    package func giveUp(_ ticket: Ticket) async throws {
        try await database.write {
            try $0.idempotency.release(
                principal: ticket.principal, key: ticket.key, reservedAt: ticket.reservedAt
            )
        }
    }

    private func answer(
        _ row: IdempotentAnswerRow, to hash: [UInt8], _ ticket: Ticket, now: Date
    ) throws -> Answer {
        guard row.requestHash == hash else {
            throw ServiceError.invalid(
                "Idempotency-Key", "idempotencyKeyReused",
                "This key came with another request before: a key stands for one method, address and body."
            )
        }
        if row.status == nil, abs(now.timeIntervalSince(row.createdAt)) < Self.patience {
            throw ServiceError.conflict(
                code: "idempotencyKeyInUse",
                message: "The first request with this key is under way: ask again in a moment."
            )
        }
        guard let status = row.status, status < Self.firstFault else {
            throw ServiceError.conflict(
                code: "idempotencyKeyUnanswered",
                message: "The first request with this key failed or got no answer, and whether it was done is not "
                    + "known: look, and if it was not, send it with another key."
            )
        }
        guard let sealed = Base64URL.decode(row.body), let body = try? keys.open(sealed, context: Self.context(ticket))
        else {
            throw ServiceError.conflict(
                message: "The write was done, but its answer cannot be read any more: the server's secret has changed."
            )
        }
        return Answer(status: status, body: body)
    }

    /// Of HTTP: from here on an answer is a fault of the server.
    private static let firstFault = 500

    /// A clock that was set far back or ahead must not hold a key for ever.
    private static func isOver(_ row: IdempotentAnswerRow, now: Date) -> Bool {
        abs(now.timeIntervalSince(row.createdAt)) >= lifetime
    }

    private static func hash(_ parts: [[UInt8]]) -> [UInt8] {
        var digest = SHA256()
        for part in parts {
            // With its length before it, no part can pass for the beginning of the next.
            digest.update(data: Data("\(part.count):".utf8))
            digest.update(data: Data(part))
        }
        return Array(digest.finalize())
    }

    private static func context(_ ticket: Ticket) -> String {
        "idempotent-answer:\(ticket.principal.utf8.count):\(ticket.principal):\(ticket.key)"
    }
}
