import BelfryServices
import BelfryWire
import Hummingbird

/// Apps (ADM-2). Only the root key makes them.
struct AppController: Sendable {
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
        let apps = try await services.apps.list()
            .filter { context.principal.app == nil || context.principal.app == $0.id }
        return try Response.json(AppListAnswer(apps: apps.map { .init(code: $0.code.rawValue, name: $0.name) }))
    }
}
