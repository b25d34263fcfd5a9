import BelfryModel
import BelfryServerModel
import BelfryServices
import BelfryWire

/// The routes for the schema of an app's attributes (ADM-2, REG-25).
package enum AttributeRoutes {
    static let all = [listAttributes.route, defineAttributes.route, defineAttribute.route, removeAttribute.route]

    package static let listAttributes = AdminRoute(
        .get, inApp: "/attributes", id: "listAttributes", .apps, scope: .read, summary: "List the attributes",
        response: "All attributes, by name.", does: list
    )

    package static let defineAttribute = AdminRoute(
        .put(audit: "attribute.define", to: .attribute), inApp: "/attributes/{key}", id: "defineAttribute", .apps,
        scope: .admin,
        summary: "Define an attribute, or change its type",
        description: """
            An app has at most \(AppService.maximumAttributes). 409 when a waiting campaign could not be sent with the \
            new type. Values of a new attribute that devices sent before are applied in the background, from their \
            newest registrations; a value that the contact has by then stays.
            """,
        response: "The attribute was defined.", does: define
    )

    package static let defineAttributes = AdminRoute(
        .post(audit: "attribute.defineAll"), inApp: "/attributes", id: "defineAttributes", .apps, scope: .admin,
        summary: "Define several attributes, or change their types",
        description: """
            All of them or none; attributes that are not in the list do not change. The body has the form of the \
            response of `listAttributes`. Otherwise like the definition of a single attribute.
            """,
        response: "The attributes of the list, as they are defined now.", does: defineAll
    )

    package static let removeAttribute = AdminRoute(
        .delete(audit: "attribute.remove", to: .attribute), inApp: "/attributes/{key}", id: "removeAttribute", .apps,
        scope: .admin,
        summary: "Remove an attribute and its values",
        description: """
            Contacts lose their values of it in the background. 409 when a campaign that waits or is being sent uses \
            it. Of devices that still send it, it is rejected. Defined again, it gets the values that devices sent last.
            """,
        response: "The attribute was removed.", does: remove
    )

    private static func defineAll(
        _ call: AdminCall<DefineAttributesRequest>, app: AppService.App
    ) async throws -> Done<AttributeListResponse> {
        let definitions = try await call.body().attributes
        let keys = try await call.services.apps.defineAttributes(
            definitions.map { (key: $0.key, type: $0.type) }, field: "attributes", app: app
        )
        let defined = zip(keys, definitions).map { AttributeDefinition(key: $0.rawValue, type: $1.type) }
        return Done(AttributeListResponse(attributes: defined), to: NameList.text(keys.map(\.rawValue)))
    }

    private static func remove(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<NoBody> {
        let key = try await call.services.apps.removeAttribute(call.part("key"), app: app)
        return Done(to: key.rawValue)
    }

    private static func define(
        _ call: AdminCall<DefineAttributeRequest>, app: AppService.App
    ) async throws -> Done<AttributeDefinition> {
        let body = try await call.body()
        let key: AttributeKey
        do {
            key = try AttributeKey(call.part("key"))
        } catch let error as ValueError {
            throw ServiceError.invalid(field: "key", error)
        }
        try await call.services.apps.defineAttribute(key.rawValue, type: body.type, app: app)
        return Done(AttributeDefinition(key: key.rawValue, type: body.type), to: key.rawValue)
    }

    /// Without pages: an app has a few hundred attributes at most.
    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<AttributeListResponse> {
        let attributes = try await call.services.apps.attributes(of: app).sorted { $0.key < $1.key }
        return Done(
            AttributeListResponse(attributes: attributes.map { AttributeDefinition(key: $0.key, type: $0.value) }))
    }
}
