/// A search of the audit log as SQL: the conditions that an index answers, and those that are checked on each line
/// found.
package struct AuditSearchSQL {
    /// Lines without reads have an index of their own.
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

    /// Whether an index finds exactly the matching lines.
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

/// The filters of an audit log search; nil means no filter.
package struct AuditSearch: Hashable, Sendable {
    /// The code of the app that the lines concern.
    package var app: String?
    /// The actor, as the log names it.
    package var actor: String?
    package var action: String?
    /// Whether lines about reads are left out, unless the search asks for one of those actions.
    package var leavesOutReads: Bool

    package init(app: String? = nil, actor: String? = nil, action: String? = nil, leavesOutReads: Bool = false) {
        self.app = app
        self.actor = actor
        self.action = action
        self.leavesOutReads = leavesOutReads
    }

    package var isOfAll: Bool { actor == nil && action == nil && !leavesOutReads }
}
