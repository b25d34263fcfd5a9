import BelfryServices
import BelfryWire
import Hummingbird

/// The message centres of an app (MC-2, ADM-2).
struct MessageCenterController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        group.get("apps/:app/message-centers", use: list)
        group.put("apps/:app/message-centers/:center", use: put)
        group.delete("apps/:app/message-centers/:center", use: delete)
    }

    /// All of them: an app has five at most.
    private func list(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let centers = try await services.messageCenters.all(of: app)
        return try Response.json(MessageCenterListAnswer(messageCenters: centers.map(MessageCenterDefinition.init)))
    }

    private func put(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let bytes = try await request.jsonBytes()
        try KnownKeys.messageCenter.check(bytes)
        let body = try JSONBody.decode(MessageCenterChange.self, from: bytes)
        let center = try await services.messageCenters.save(
            context.pathParameter("center"), .init(label: body.label, isEnabled: body.enabled), app: app
        )
        try await services.audit(context, "messageCenter.put", app: app, target: center.name.rawValue)
        return try Response.json(MessageCenterDefinition(center))
    }

    private func delete(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let name = try await services.messageCenters.delete(context.pathParameter("center"), app: app)
        try await services.audit(context, "messageCenter.delete", app: app, target: name.rawValue)
        return Response(status: .noContent)
    }
}
