import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes for an app's keys of the admin API (ADM-6).
package enum AdminKeyRoutes {
    package static let page = PageLimits(standard: 100, maximum: 1_000)

    static let all = [createAdminKey.route, listAdminKeys.route, revokeAdminKey.route]

    package static let createAdminKey = AdminRoute(
        .post(audit: "key.create"), inApp: "/keys", id: "createAdminKey", .apps, scope: .admin,
        summary: "Create an admin key",
        description: "An app has at most \(AdminKeyService.maximumKeys) keys that are not revoked.",
        response: "The key with its secret, which is shown only this once.", status: .created, does: create
    )

    package static let listAdminKeys = AdminRoute(
        .get, inApp: "/keys", id: "listAdminKeys", .apps, scope: .admin, summary: "List the admin keys",
        description: "Newest first, revoked and expired ones among them, without their secrets.",
        parameters: page.parameters, response: "One page.", does: list
    )

    package static let revokeAdminKey = AdminRoute(
        .delete(audit: "key.revoke", to: .adminKey), inApp: "/keys/{adminKey}", id: "revokeAdminKey", .apps,
        scope: .admin,
        summary: "Revoke an admin key",
        description: "It is refused from the next request on, by every process. The request may be repeated.",
        response: "The key was revoked.", does: revoke
    )

    private static func create(
        _ call: AdminCall<CreateAdminKeyRequest>, app: AppService.App
    ) async throws -> Done<CreateAdminKeyResponse> {
        let body = try await call.body(datesIn: DateZone(named: app.settings.timeZoneName))
        let made = try await call.services.adminKeys.create(
            scope: body.scope, label: body.label, expiresAt: body.expiresAt, app: app
        )
        let key = AdminKeyListResponse.Entry(made.key)
        return Done(CreateAdminKeyResponse(key, apiKey: made.secret), to: key.id)
    }

    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<AdminKeyListResponse> {
        let page = try call.page(Self.page)
        let found = try await call.services.adminKeys.list(app: app, before: page.number(), limit: page.limit)
        let response = AdminKeyListResponse(
            keys: found.keys.map(AdminKeyListResponse.Entry.init), cursor: found.next.map { String($0) }
        )
        return Done(response)
    }

    private static func revoke(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<NoBody> {
        let name = try call.part("adminKey")
        try await call.services.adminKeys.revoke(name, app: app)
        return Done(to: name)
    }
}
