import BelfryServices
import Hummingbird

/// What an operator does to a device (WIRE-20).
struct DeviceController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        group.post("apps/:app/devices/:clientId/revoke", use: revoke)
    }

    /// For a device that is lost, or whose tokens may have leaked. A body says nothing.
    private func revoke(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let id = try context.pathParameter("clientId")
        let number = try await services.links.revoke(id, app: app)
        // Not its id: an installation is not to outlive its person in the log.
        try await services.audit(context, "device.revoke", app: app, target: String(number))
        return Response(status: .noContent)
    }
}
