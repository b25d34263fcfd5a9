import BelfryServices
import BelfryWire
import Hummingbird

/// Apps (ADM-2). Only the root key makes them.
struct AppController: Sendable {
    static let standardPage = 100
    static let maximumPage = 1_000

    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        group.post("apps", use: create)
        group.get("apps", use: list)
    }

    private func create(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        try context.principal.require(.admin)
        guard context.principal.app == nil else {
            throw ServiceError.forbidden(code: ErrorCode.forbidden, message: "Only the root key makes apps.")
        }
        let body = try await request.json(CreateAppRequest.self)
        let made = try await services.apps.create(code: body.code, name: body.name)
        try await services.audit(context, "app.create", app: made.app)
        let answer = CreateAppAnswer(code: made.app.code.rawValue, name: made.app.name, apiKey: made.apiKey)
        return try Response.json(answer, status: .created)
    }

    /// In the order in which they were made; a key of one app sees that one.
    private func list(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        try context.principal.require(.read)
        let page = try PageQuery(request, standard: Self.standardPage, maximum: Self.maximumPage)
        let (apps, next) = try await services.apps.list(
            only: context.principal.app, after: page.number(), limit: page.limit
        )
        let entries = apps.map { AppListAnswer.Entry(code: $0.code.rawValue, name: $0.name) }
        return try Response.json(AppListAnswer(apps: entries, cursor: next.map { String($0) }))
    }
}
