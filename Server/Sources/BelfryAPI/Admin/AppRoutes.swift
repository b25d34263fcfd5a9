import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes for apps (ADM-2). Only the root key creates apps.
package enum AppRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    static let all = [createApp.route, listApps.route, renameApp.route]

    package static let createApp = AdminRoute(
        .post(audit: "app.create"), "/apps", id: "createApp", .apps, scope: .admin, summary: "Create an app",
        description: "Only with the root key.", response: "The app and its admin key.", status: .created,
        does: create
    )

    package static let listApps = AdminRoute(
        .get, "/apps", id: "listApps", .apps, scope: .read, summary: "List the apps",
        description: "In the order of their creation. The key of an app sees only that app.",
        parameters: page.parameters, response: "One page.", does: list
    )

    package static let renameApp = AdminRoute(
        .put(audit: "app.rename"), inApp: "", id: "renameApp", .apps, scope: .admin, summary: "Rename an app",
        description: "Its code stays: devices and requests name it by that.", response: "The app has the name."
    ) { (call: AdminCall<RenameAppRequest>, app: AppService.App) -> Done<NoBody> in
        let name = try await call.body().name
        _ = try await call.services.apps.changeSettings(AppSettingsChange(), name: name, of: app)
        return Done(to: nil)
    }

    private static func create(_ call: AdminCall<CreateAppRequest>) async throws -> Done<CreateAppResponse> {
        guard call.context.principal.app == nil else {
            throw ServiceError.forbidden(code: ErrorCode.forbidden, message: "Only the root key can create apps.")
        }
        let body = try await call.body()
        let made = try await call.services.apps.create(code: body.code, name: body.name)
        let response = CreateAppResponse(code: made.app.code.rawValue, name: made.app.name, apiKey: made.apiKey)
        return Done(response, app: made.app.code)
    }

    private static func list(_ call: AdminCall<NoBody>) async throws -> Done<AppListResponse> {
        let page = try call.page(Self.page)
        let (apps, next) = try await call.services.apps.list(
            only: call.context.principal.app, after: page.number(), limit: page.limit
        )
        let entries = apps.map { AppListResponse.Entry(code: $0.code.rawValue, name: $0.name) }
        return Done(AppListResponse(apps: entries, cursor: next.map { String($0) }))
    }
}
