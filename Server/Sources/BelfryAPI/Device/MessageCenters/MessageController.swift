import BelfryServices
import BelfryWire
import Hummingbird

/// The endpoints for one message of a center: the message (MC-15), its rich content (WIRE-11), and its state (WIRE-15).
struct MessageController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(readMessage) { Self(services: $0).message },
        Route(readRichContent) { Self(services: $0).richContent },
        Route(confirmRichContent) { Self(services: $0).confirm },
        Route(withdrawRichContent) { Self(services: $0).withdraw },
        Route(putMessageState) { Self(services: $0).putState },
    ]

    private static let readMessage = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/client/messages/{messageId}", id: "readMessage", area: .device,
        access: .linkedDevice, summary: "Fetch one message",
        description: """
            By its id, or by the `sid` of a push to this device with which it was kept. A message that came while nobody \
            was logged in is found after a login as well, although no message center lists it then. Another contact's \
            message, or none: 404 (`unknownMessage`).
            """,
        responses: [.ok(MessageCenterMessageBody.self, "The message.")], errors: [.forbidden, .notFound]
    )

    private static let readRichContent = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/client/messages/{messageId}/rich-content", id: "readRichContent",
        area: .device,
        access: .linkedDevice, summary: "Fetch the rich content of a message",
        description: """
            A device gets it, with any key, until it confirms that it has stored the content; after that it is a 410 \
            (`richContentAlreadyServed`), until it withdraws the confirmation. A message without rich content, or of \
            another contact, is a 404 (`unknownMessage`). `HEAD` is a 405.
            """,
        parameters: [
            OperationParameter(
                name: HeaderNames.idempotencyKey, place: .header, schema: .idempotencyKey,
                description: """
                    Visible ASCII. If the response is lost, repeat the request with the same key. Without a key: 400 \
                    (`missingIdempotencyKey`).
                    """,
                isRequired: true
            )
        ],
        responses: [.ok(RichContentResponse.self, "The content. The device stores it and confirms that.")],
        errors: [.forbidden, .notFound, .servedAlready], isServedOnce: true
    )

    private static let confirmationPath = "/v3/apps/{appCode}/client/messages/{messageId}/rich-content/confirmation"

    private static let confirmRichContent = APIOperation(
        method: .put, path: confirmationPath, id: "confirmRichContent", area: .device, access: .linkedDevice,
        summary: "Confirm that the rich content of a message is stored",
        description: "It is not served to this device again. The request may be repeated.",
        responses: [.done("It was confirmed.")], errors: [.notFound], isAcceptedOnFullDisk: true
    )

    private static let withdrawRichContent = APIOperation(
        method: .delete, path: confirmationPath, id: "withdrawRichContent", area: .device, access: .linkedDevice,
        summary: "Withdraw the confirmation",
        description: "The device no longer has the content, and may fetch it again. The request may be repeated.",
        responses: [.done("It was withdrawn.")], errors: [.notFound]
    )

    private static let putMessageState = APIOperation(
        method: .put, path: "/v3/apps/{appCode}/client/messages/{messageId}/state", id: "putMessageState",
        area: .device,
        access: .linkedDevice, summary: "Report that a message was read or deleted",
        description: """
            Deleted takes precedence over read, and read over unread, on any device and in any order. A lower state \
            changes nothing.
            """,
        body: APIOperation.Body(MessageStateRequest.self), responses: [.done("It was stored.")], errors: [.notFound],
        isAcceptedOnFullDisk: true
    )

    let services: APIServices

    private func richContent(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        guard let key = request.headers[.idempotencyKey], !key.isEmpty else {
            throw APIError(
                .badRequest, ErrorCode.missingIdempotencyKey,
                "Rich content is served until the device confirms that it is stored. Send the header "
                    + "\(HeaderNames.idempotencyKey) with each request for it.",
                target: HeaderNames.idempotencyKey
            )
        }
        try APIError.rejectUnfit(idempotencyKey: key)
        let response = try await services.inbox.richContent(
            of: context.pathParameter("messageId"), for: caller
        )
        let json = InboxText.richContent(id: response.value.id.text, html: response.value.html)
        return Response.json(bytes: json).carrying(stateOf: response)
    }

    private func message(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let response = try await services.inbox.message(context.pathParameter("messageId"), for: caller)
        return Response.json(bytes: InboxText.message(response.value)).carrying(stateOf: response)
    }

    private func confirm(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        try await setRichContent(isStored: true, context)
    }

    private func withdraw(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        try await setRichContent(isStored: false, context)
    }

    private func setRichContent(isStored: Bool, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let response = try await services.inbox.setRichContent(
            isStored: isStored, of: context.pathParameter("messageId"), for: caller
        )
        return Response(status: .noContent).carrying(stateOf: response)
    }

    private func putState(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let body = try await request.json(MessageStateRequest.self, meter: services.meter(of: context))
        let response = try await services.inbox.setState(
            body.state, of: context.pathParameter("messageId"), reference: body.contact, for: caller
        )
        return Response(status: .noContent).carrying(stateOf: response)
    }
}
