import BelfryModel
import BelfryServices

extension APIServices {
    /// The app that the path names, for a key that may touch it. A key without the scope learns nothing of apps.
    func app(of context: AdminRequestContext, scope: AdminScope) async throws -> AppService.App {
        try context.principal.require(scope)
        let app = try await apps.find(context.pathParameter("app"))
        try context.principal.require(scope, app: app)
        return app
    }

    /// Writes to the audit log who did what (ADM-1).
    func audit(
        _ context: AdminRequestContext, _ action: String, app: AppService.App, target: String? = nil
    ) async throws {
        try await access.audit(context.principal, action: action, app: app.code, target: target)
    }
}
