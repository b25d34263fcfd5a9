/// How a search of the audit log is put to the store: what an index finds, and what is looked for in the lines that it
/// has found.
package struct AuditSearchSQL {
    /// What people do is listed without what they read by an index of its own.
    private static let changes: SQLText = "action NOT IN ('read', 'repeat')"

    private let place: SQLText
    private let order: SQLText
    let placeArguments: [SQLValue]
    private var conditions: [SQLText] = []
    private var conditionArguments: [SQLValue] = []

    package init(_ search: AuditSearch, before cursor: Int64?, _ dialect: any Dialect) {
        let position = SQLValue.integer(cursor ?? .max)
        let wantsChanges = search.leavesOutReads && search.action == nil
        if let actor = search.actor {
            let ofActor: SQLText = "\(dialect.isArgument("actor")) AND id < ?"
            place = wantsChanges ? "\(ofActor) AND \(Self.changes)" : ofActor
            order = "actor DESC, id DESC"
            placeArguments = [.text(actor), position]
            if let app = search.app {
                conditions.append("app = ?")
                conditionArguments.append(.text(app))
            }
        } else {
            place = search.app == nil ? "id < ?" : "\(dialect.isArgument("app")) AND id < ?"
            order = search.app == nil ? "id DESC" : "app DESC, id DESC"
            placeArguments = (search.app.map { [.text($0)] } ?? []) + [position]
            if wantsChanges { conditions.append(Self.changes) }
        }
        if let action = search.action {
            conditions.append("action = ?")
            conditionArguments.append(.text(action))
        }
    }

    /// Whether an index finds what is asked for, and nothing else.
    package var isExact: Bool { conditions.isEmpty }

    package var list: SQLText {
        guard !isExact else {
            return "SELECT \(AuditEntry.columns), id FROM audit_log WHERE \(place) ORDER BY \(order) LIMIT ?"
        }
        let found = conditions.dropFirst().reduce(conditions[0]) { "\($0) AND \($1)" }
        return """
            SELECT \(AuditEntry.columns), id FROM (
                SELECT \(AuditEntry.columns), id FROM audit_log WHERE \(place) ORDER BY \(order) LIMIT ?) looked
            WHERE \(found) ORDER BY \(order) LIMIT ?
            """
    }

    package func arguments(window: Int, limit: Int) -> [SQLValue] {
        guard !isExact else { return placeArguments + [.integer(limit)] }
        return placeArguments + [.integer(window)] + conditionArguments + [.integer(limit)]
    }

    var end: SQLText { "SELECT id FROM audit_log WHERE \(place) ORDER BY \(order) LIMIT 2 OFFSET ?" }
}

/// Which lines of the audit log are asked for; what is nil does not matter.
package struct AuditSearch: Hashable, Sendable {
    /// The code of the app that they concern.
    package var app: String?
    /// As the log names who acted.
    package var actor: String?
    package var action: String?
    /// Whether lines about reading are left out, unless one of those actions is asked for.
    package var leavesOutReads: Bool

    package init(app: String? = nil, actor: String? = nil, action: String? = nil, leavesOutReads: Bool = false) {
        self.app = app
        self.actor = actor
        self.action = action
        self.leavesOutReads = leavesOutReads
    }

    package var isOfAll: Bool { actor == nil && action == nil && !leavesOutReads }
}
