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
