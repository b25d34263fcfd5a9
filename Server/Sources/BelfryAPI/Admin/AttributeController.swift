import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The schema of an app's attributes (ADM-2, REG-25).
struct AttributeController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        group.get("apps/:app/attributes", use: list)
        group.put("apps/:app/attributes/:key", use: define)
    }

    private func define(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let body = try await request.json(DefineAttributeRequest.self)
        let key: AttributeKey
        do {
            key = try AttributeKey(context.pathParameter("key"))
        } catch let refusal as Refusal {
            throw ServiceError.invalid(field: "key", refusal)
        }
        try await services.apps.defineAttribute(key.rawValue, type: body.type, app: app)
        try await services.audit(context, "attribute.define", app: app, target: key.rawValue)
        return try Response.json(AttributeAnswer(key: key.rawValue, type: body.type))
    }

    /// All of them, by name: an app has a few hundred at most.
    private func list(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let attributes = try await services.apps.attributes(of: app).sorted { $0.key < $1.key }
        return try Response.json(
            AttributeListAnswer(attributes: attributes.map { AttributeAnswer(key: $0.key, type: $0.value) })
        )
    }
}
