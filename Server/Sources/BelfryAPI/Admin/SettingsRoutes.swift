import BelfryModel
import BelfryServerModel
import BelfryServices

/// The routes for the settings of an app (ADM-2).
package enum SettingsRoutes {
    static let all = [readSettings.route, changeSettings.route]

    package static let readSettings = AdminRoute(
        .get, inApp: "/settings", id: "readSettings", .apps, scope: .read, summary: "Read the settings",
        response: "The settings in effect, with defaults.", does: find
    )

    package static let changeSettings = AdminRoute(
        .put(audit: "settings.put"), inApp: "/settings", id: "changeSettings", .apps, scope: .admin,
        summary: "Change settings",
        description: """
            Absent fields do not change; null resets a field to its default. If one field is invalid, nothing changes.
            """,
        response: "The settings in effect, with defaults.", isAcceptedOnFullDisk: true, does: change
    )

    private static func find(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<AppSettingsResponse> {
        Done(AppSettingsResponse(try await call.services.apps.settings(of: app)))
    }

    private static func change(
        _ call: AdminCall<AppSettingsChange>, app: AppService.App
    ) async throws -> Done<AppSettingsResponse> {
        let change = try await call.body()
        let settings = try await call.services.apps.changeSettings(change, of: app)
        let names = change.names.isEmpty ? nil : change.names.joined(separator: " ")
        return Done(AppSettingsResponse(settings), to: names)
    }
}
