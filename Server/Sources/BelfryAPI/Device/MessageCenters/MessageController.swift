import BelfryServices
import BelfryWire
import Hummingbird

/// One message of a centre: its rich content (WIRE-11) and what the contact has done with it (WIRE-15).
struct MessageController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        let richContentPath: RouterPath = "client/messages/:messageId/rich-content"
        group.get(richContentPath, use: richContent)
        // A HEAD made of the GET would use up the one serving, and give nothing.
        group.head(richContentPath) { _, _ -> Response in throw HTTPError(.notFound) }
        group.put("client/messages/:messageId/state", use: putState)
    }

    private func richContent(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        guard let key = request.headers[.idempotencyKey], !key.isEmpty else {
            throw APIError(
                .badRequest, ErrorCode.missingIdempotencyKey,
                "Rich content is served once: name the request by the header \(HeaderNames.idempotencyKey), so that a "
                    + "lost answer can be asked for again.",
                target: HeaderNames.idempotencyKey
            )
        }
        try APIError.refuseUnfit(idempotencyKey: key)
        let answer = try await services.inbox.richContent(
            of: context.pathParameter("messageId"), key: key, for: caller
        )
        let json = InboxText.richContent(id: answer.value.id.text, html: answer.value.html)
        return Response.json(bytes: json).carrying(stateOf: answer)
    }

    private func putState(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let body = try await request.json(MessageStateRequest.self, meter: services.meter(of: context))
        let answer = try await services.inbox.setState(
            body.state, of: context.pathParameter("messageId"), reference: body.contact, for: caller
        )
        return Response(status: .noContent).carrying(stateOf: answer)
    }
}
