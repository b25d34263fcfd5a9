import BelfryServices
import BelfryWire
import Hummingbird

/// The endpoints for a contact's message centers (WIRE-10), and for the inbox of version 3 (WIRE-13).
struct InboxController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(readMessageCenters) { Self(services: $0).centers },
        Route(readCenterMessages) { Self(services: $0).messages },
        Route(readInbox) { Self(services: $0).inbox },
    ]

    private static let readMessageCenters = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/client/message-centers", id: "readMessageCenters", area: .device,
        access: .linkedDevice, summary: "Fetch all message centers",
        description: """
            Every enabled message center, also if empty, with its newest messages; the names of the disabled ones; and \
            the device's badge.
            """,
        responses: [.ok(MessageCentersResponse.self, "The primary message center first.")]
    )

    private static let readCenterMessages = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/client/message-centers/{center}/messages", id: "readCenterMessages",
        area: .device,
        access: .linkedDevice, summary: "Fetch one message center",
        description: """
            A disabled message center is a 403 (`messageCenterDisabled`), an unknown one a 404 (`unknownMessageCenter`).
            """,
        responses: [.ok(MessageCenterMessagesResponse.self, "Its newest messages, newest first.")],
        errors: [.forbidden, .notFound]
    )

    private static let readInbox = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/inbox", id: "readInbox", area: .device, access: .linkedDevice,
        summary: "Fetch the inbox, as clients of version 3 read it",
        description: "The same messages as in the message centers.",
        responses: [.ok(InboxResponse.self, "The newest messages of all enabled message centers, newest first.")]
    )

    let services: APIServices

    private func centers(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let response = try await services.inbox.centers(for: caller)
        return Response.json(bytes: InboxText.centers(response.value)).carrying(stateOf: response)
    }

    private func messages(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let response = try await services.inbox.messages(in: context.pathParameter("center"), for: caller)
        return Response.json(bytes: InboxText.messages(response.value)).carrying(stateOf: response)
    }

    private func inbox(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let response = try await services.inbox.newest(for: caller)
        return try Response.json(try InboxResponse(response.value)).carrying(stateOf: response)
    }
}
