import BelfryServices

/// The routes for the message centers of an app (MC-2, ADM-2).
package enum MessageCenterRoutes {
    static let all = [listMessageCenters.route, putMessageCenter.route, deleteMessageCenter.route]

    package static let listMessageCenters = AdminRoute(
        .get, inApp: "/message-centers", id: "listMessageCenters", .apps, scope: .read,
        summary: "List the message centers", response: "All message centers, the primary one first.", does: list
    )

    package static let putMessageCenter = AdminRoute(
        .put(audit: "messageCenter.put", to: .messageCenter), inApp: "/message-centers/{center}",
        id: "putMessageCenter", .apps,
        scope: .admin, summary: "Create or change a message center",
        description: """
            Absent fields do not change. An app has at most four besides the primary one; a fifth is a conflict.
            """,
        response: "The message center.", does: put
    )

    package static let deleteMessageCenter = AdminRoute(
        .delete(audit: "messageCenter.delete", to: .messageCenter), inApp: "/message-centers/{center}",
        id: "deleteMessageCenter", .apps,
        scope: .admin, summary: "Delete a message center",
        description: """
            Its messages are kept, but hidden until a message center with the same name is created. The primary \
            message center, and one that a scheduled, sending or paused campaign uses, are a conflict.
            """,
        response: "The message center was deleted.", does: delete
    )

    /// Without pages: an app has at most five message centers.
    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<MessageCenterListResponse> {
        let centers = try await call.services.messageCenters.all(of: app)
        return Done(MessageCenterListResponse(messageCenters: centers.map(MessageCenterDefinition.init)))
    }

    private static func put(
        _ call: AdminCall<MessageCenterChange>, app: AppService.App
    ) async throws -> Done<MessageCenterDefinition> {
        let body = try await call.body()
        let center = try await call.services.messageCenters.save(
            call.part("center"), .init(label: body.label, isEnabled: body.enabled), app: app
        )
        return Done(MessageCenterDefinition(center), to: center.name.rawValue)
    }

    private static func delete(_ call: AdminCall<NoBody>, app: AppService.App) async throws -> Done<NoBody> {
        let name = try await call.services.messageCenters.delete(call.part("center"), app: app)
        return Done(to: name.rawValue)
    }
}
