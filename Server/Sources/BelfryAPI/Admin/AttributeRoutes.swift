import BelfryModel
import BelfryServices
import BelfryWire

/// The schema of an app's attributes (ADM-2, REG-25).
package enum AttributeRoutes {
    static let all = [listAttributes.route, defineAttribute.route]

    package static let listAttributes = AdminRoute(
        .get, inApp: "/attributes", id: "listAttributes", .apps, scope: .read, summary: "List the attributes",
        response: "All attributes, by name.", does: list
    )

    package static let defineAttribute = AdminRoute(
        .put(audit: "attribute.define"), inApp: "/attributes/{key}", id: "defineAttribute", .apps, scope: .admin,
        summary: "Define an attribute, or change its type",
        description:
            "An app has at most 500. 409 when a waiting campaign could not be sent with the new type.",
        response: "The attribute was defined.", does: define
    )

    private static func define(
        _ call: AdminCall<DefineAttributeRequest>, app: AppService.App
    ) async throws -> Done<AttributeResponse> {
        let body = try await call.body()
        let key: AttributeKey
        do {
            key = try AttributeKey(call.part("key"))
        } catch let error as ValueError {
            throw ServiceError.invalid(field: "key", error)
        }
        try await call.services.apps.defineAttribute(key.rawValue, type: body.type, app: app)
        return Done(AttributeResponse(key: key.rawValue, type: body.type), to: key.rawValue)
    }

    /// An app has a few hundred at most.
    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<AttributeListResponse> {
        let attributes = try await call.services.apps.attributes(of: app).sorted { $0.key < $1.key }
        return Done(
            AttributeListResponse(attributes: attributes.map { AttributeResponse(key: $0.key, type: $0.value) }))
    }
}
