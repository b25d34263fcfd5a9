import BelfryServices
import BelfryWire
import Hummingbird

/// One message of a center: its rich content (WIRE-11) and what the contact has done with it (WIRE-15).
struct MessageController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(readRichContent) { Self(services: $0).richContent },
        Route(putMessageState) { Self(services: $0).putState },
    ]

    private static let readRichContent = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/client/messages/{messageId}/rich-content", id: "readRichContent",
        area: .device,
        access: .linkedDevice, summary: "Fetch the rich content of a message, once",
        description: """
            The first `Idempotency-Key` of a device gets the content, and may repeat the request for 24 hours. Another \
            key gets a 410 (`richContentAlreadyServed`). A message without rich content, or of another contact, is a \
            404 (`unknownMessage`). `HEAD` is a 405 and serves nothing.
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
        responses: [.ok(RichContentResponse.self, "The content. The device must store it.")],
        errors: [.forbidden, .notFound, .servedAlready], isServedOnce: true
    )

    private static let putMessageState = APIOperation(
        method: .put, path: "/v3/apps/{appCode}/client/messages/{messageId}/state", id: "putMessageState",
        area: .device,
        access: .linkedDevice, summary: "Report that a message was read or deleted",
        description: """
            Deleted takes precedence over read, and read over unread, on any device and in any order. A lower state \
            changes nothing.
            """,
        body: APIOperation.Body(MessageStateRequest.self), responses: [.done("It was stored.")], errors: [.notFound]
    )

    let services: APIServices

    private func richContent(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        guard let key = request.headers[.idempotencyKey], !key.isEmpty else {
            throw APIError(
                .badRequest, ErrorCode.missingIdempotencyKey,
                "Rich content is served once. Send the header \(HeaderNames.idempotencyKey), so that the request can "
                    + "be repeated if the response is lost.",
                target: HeaderNames.idempotencyKey
            )
        }
        try APIError.refuseUnfit(idempotencyKey: key)
        let response = try await services.inbox.richContent(
            of: context.pathParameter("messageId"), key: key, for: caller
        )
        let json = InboxText.richContent(id: response.value.id.text, html: response.value.html)
        return Response.json(bytes: json).carrying(stateOf: response)
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
