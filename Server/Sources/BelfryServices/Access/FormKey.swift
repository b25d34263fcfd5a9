import BelfryModel
import BelfryStore
import Foundation

/// The idempotency key of a form. It is made when the form is shown and sent with every submission, so a repeated
/// submission makes nothing twice (CON-5). All forms of a page share one.
package struct FormKey: Hashable, Sendable {
    /// Allowed lengths, in bytes.
    package static let lengths = 1...64

    /// The audit log's line for what the form makes.
    package struct Line: Hashable, Sendable {
        let action: String
        let app: AppCode
        /// The object of the action. Nil: the new object.
        let target: String?

        package init(_ action: String, app: AppCode, to target: String? = nil) {
            self.action = action
            self.app = app
            self.target = target
        }
    }

    /// The person to whom the form was shown.
    let principal: String
    let text: String
    private let line: Line?

    /// Nil for a text that no form of the server contains.
    ///
    /// - Parameters:
    ///   - principal: the person to whom the form was shown.
    ///   - line: nil when nothing is to be written into the audit log.
    package init?(_ text: String, of principal: AdminPrincipal, audit line: Line? = nil) {
        guard Self.lengths.contains(text.utf8.count) else { return nil }
        self.principal = principal.name
        self.text = text
        self.line = line
    }

    /// The key's name in the store. It keeps forms apart from the idempotency keys of the admin API.
    ///
    /// - Parameter form: which form it is, and its object: `copy:1:12`.
    package func name(of form: String) -> String { "\(form):\(text)" }
}

extension FormKey {
    /// The HTTP status that is stored with the result, because the other rows of the table have one.
    private static let created = 201

    /// The form's result of the last day. Nil for a form that is submitted for the first time.
    func earlier(_ form: String, now: Date, _ connection: any SQLConnection) throws -> IdempotentResponseRow? {
        guard let row = try connection.idempotency.find(principal: principal, key: name(of: form)),
            abs(now.timeIntervalSince(row.createdAt)) < IdempotencyStore.lifetime
        else { return nil }
        return row
    }

    /// Stores the form's result in the transaction that makes it, so that of two simultaneous calls one finds the
    /// other's. It also writes the audit log's line.
    ///
    /// - Parameters:
    ///   - made: the number of the new object.
    ///   - hash: the hash of the form's contents.
    func note(
        _ made: String, by form: String, hash: [UInt8], now: Date, _ connection: any SQLConnection
    ) throws {
        let (answers, name) = (connection.idempotency, name(of: form))
        try answers.reserve(principal: principal, key: name, requestHash: hash, now: now)
        try answers.fill(principal: principal, key: name, reservedAt: now, status: Self.created, body: made)
        try audit(made, now: now, connection)
    }

    /// Writes the new object into the audit log, in the transaction that makes it: a repeated form makes nothing and
    /// would not write it later (ADM-1).
    func audit(_ made: String, now: Date, _ connection: any SQLConnection) throws {
        guard let line else { return }
        try connection.audit.append(
            AuditEntry(
                at: now, actor: principal, app: line.app.rawValue, action: line.action, target: line.target ?? made
            )
        )
    }
}
