import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The settings of an app (ADM-2).
struct SettingsController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        group.get("apps/:app/settings", use: find)
        group.put("apps/:app/settings", use: change)
    }

    private func find(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        return try Response.json(AppSettingsAnswer(try await services.apps.settings(of: app)))
    }

    private func change(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let bytes = try await request.jsonBytes()
        try KnownKeys.settings.check(bytes)
        let change = try JSONBody.decode(AppSettingsChange.self, from: bytes)
        let settings = try await services.apps.changeSettings(change, of: app)
        let names = change.names.isEmpty ? nil : change.names.joined(separator: " ")
        try await services.audit(context, "settings.put", app: app, target: names)
        return try Response.json(AppSettingsAnswer(settings))
    }
}
