import BelfryModel
import BelfryStore
import Foundation

/// The idempotency key of a form: made when the form is shown, and sent with it each time, so that what it makes is made
/// once (CON-5). A page has one for all of its forms.
package struct FormKey: Hashable, Sendable {
    /// Bytes.
    package static let lengths = 1...64

    /// What the audit log is told when the form makes something.
    package struct Line: Hashable, Sendable {
        let action: String
        let app: AppCode
        /// What it is done to; nil: what the form makes.
        let target: String?

        package init(_ action: String, app: AppCode, to target: String? = nil) {
            self.action = action
            self.app = app
            self.target = target
        }
    }

    /// Who was shown the form.
    let principal: String
    let text: String
    private let line: Line?

    /// Nil for a text that stands in no form.
    ///
    /// - Parameters:
    ///   - principal: who was shown the form.
    ///   - line: nil when nothing is to be written into the audit log.
    package init?(_ text: String, of principal: AdminPrincipal, audit line: Line? = nil) {
        guard Self.lengths.contains(text.utf8.count) else { return nil }
        self.principal = principal.name
        self.text = text
        self.line = line
    }

    /// As the store knows it, apart from the keys of the API.
    ///
    /// - Parameter form: which form it is, and what it is about: `copy:1:12`.
    package func name(of form: String) -> String { "\(form):\(text)" }
}

extension FormKey {
    /// Of HTTP: what the answers beside it in the table have.
    private static let created = 201

    /// What the form has made within a day; nil for a form that comes for the first time.
    func earlier(_ form: String, now: Date, _ connection: any SQLConnection) throws -> IdempotentResponseRow? {
        guard let row = try connection.idempotency.find(principal: principal, key: name(of: form)),
            abs(now.timeIntervalSince(row.createdAt)) < IdempotencyStore.lifetime
        else { return nil }
        return row
    }

    /// Notes what the form has made, in the transaction that makes it: of two calls at once one finds the other's. The
    /// audit log has it then, too.
    ///
    /// - Parameters:
    ///   - made: its number.
    ///   - hash: of what the form says.
    func note(
        _ made: String, by form: String, hash: [UInt8], now: Date, _ connection: any SQLConnection
    ) throws {
        let (answers, name) = (connection.idempotency, name(of: form))
        try answers.reserve(principal: principal, key: name, requestHash: hash, now: now)
        try answers.fill(principal: principal, key: name, reservedAt: now, status: Self.created, body: made)
        try audit(made, now: now, connection)
    }

    /// Writes into the audit log what the form makes, in the transaction that makes it: a form that comes again makes
    /// nothing, and would not write it later (ADM-1).
    func audit(_ made: String, now: Date, _ connection: any SQLConnection) throws {
        guard let line else { return }
        try connection.audit.append(
            AuditEntry(
                at: now, actor: principal, app: line.app.rawValue, action: line.action, target: line.target ?? made
            )
        )
    }
}
