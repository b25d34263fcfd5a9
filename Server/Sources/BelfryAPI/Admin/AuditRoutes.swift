import BelfryModel
import BelfryServices
import BelfryWire

/// The routes of the audit log (ADM-1, ADM-7).
package enum AuditRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    static let all = [listAudit.route]

    package static let listAudit = AdminRoute(
        .get, "/audit", id: "listAudit", .service, scope: .admin, summary: "List the audit log",
        description: """
            Every use of an admin key and every change in the console, newest first. The key of an app sees only the \
            entries of that app. Contacts are named by their numbers, never by their keys.
            """,
        parameters: page.parameters + [
            OperationParameter(
                name: "app", place: .query, schema: .of(AppCode.self), description: "Only the entries of this app."
            ),
            OperationParameter(
                name: "actor", place: .query, schema: .string(),
                description: "Only entries by this actor: `root`, the name of a key, or `user:` and a person's name."
            ),
            OperationParameter(
                name: "action", place: .query, schema: .string(),
                description: """
                    Only this action. With `action`, or with `app` and `actor`, a page ends where \
                    \(AuditLog.searchWindow) entries were searched, even if it is not full; its cursor continues \
                    from there.
                    """
            ),
        ],
        response: "One page.", errors: [.notFound], does: list
    )

    private static func list(_ call: AdminCall<NoBody>) async throws -> Done<AuditListResponse> {
        let page = try call.page(Self.page)
        let search = AuditLog.Search(
            app: try await app(of: call)?.rawValue, actor: try call.text("actor"), action: try call.text("action")
        )
        let found = try await call.services.access.log.list(
            matching: search, before: page.number(), limit: page.limit
        )
        let entries = found.entries.map {
            AuditListResponse.Entry(
                at: Timestamp.text($0.at), actor: $0.actor, app: $0.app, action: $0.action, target: $0.target
            )
        }
        return Done(AuditListResponse(entries: entries, cursor: found.next.map { String($0) }))
    }

    /// The app whose entries are requested; nil: all entries.
    private static func app(of call: AdminCall<NoBody>) async throws -> AppCode? {
        let principal = call.context.principal
        if let code = call.request.uri.queryParameters["app"], !code.isEmpty {
            let app = try await call.services.apps.find(String(code))
            try principal.require(.admin, app: app)
            return app.code
        }
        guard let own = principal.app else { return nil }
        guard let app = try await call.services.apps.list(only: own, after: nil, limit: 1).apps.first else {
            throw ServiceError.unknownApp(String(own))
        }
        return app.code
    }
}

/// The response to `GET …/audit`, newest first.
package struct AuditListResponse: Hashable, Sendable, Codable {
    package struct Entry: Hashable, Sendable, Codable {
        package var at: String
        /// Who acted: `root`, the name of a key, or `user:` and a person's name.
        package var actor: String
        package var app: String?
        package var action: String
        package var target: String?
    }

    package var entries: [Entry]
    package var cursor: String?

    package init(entries: [Entry], cursor: String? = nil) {
        self.entries = entries
        self.cursor = cursor
    }
}

extension AuditListResponse: Described {
    static let schema: JSONSchema = .object(
        [
            "entries": .list(
                of: .object(
                    [
                        "at": .of(Timestamp.self),
                        "actor": .string().described("`root`, the name of a key, or `user:` and a person's name."),
                        "action": .string(),
                    ],
                    optional: ["app": .string(), "target": .string()]
                )
            )
        ],
        optional: ["cursor": .cursor]
    )
}
