import BelfryServices
import BelfryWire
import Hummingbird

/// The endpoint for inline in-app messages by view id, for clients of version 3 (WIRE-14).
struct InlineMessageController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(readInlineMessages) { Self(services: $0, version: .v3).messages },
        Route(readInlineMessagesOfVersion4) { Self(services: $0, version: .v4).messages },
    ]

    private static let readInlineMessages = APIOperation(
        method: .post, path: "/v3/apps/{appCode}/inline-messages", id: "readInlineMessages", area: .device,
        access: .linkedDevice, summary: "Read the inline messages for places in the app",
        description:
            "For clients of version 3, which store no messages. A place without a message is not in the response.",
        body: APIOperation.Body(InlineBody.self), responses: inlineResponses, isAcceptedOnFullDisk: true
    )

    private static let readInlineMessagesOfVersion4 = APIOperation(
        method: .post, path: "/v4/apps/{appCode}/inline-messages", id: "readInlineMessagesOfVersion4", area: .device,
        access: .linkedDevice, summary: "Read the inline messages, at the path of version 4",
        description: "Same as `readInlineMessages`; clients of version 3 use this path.",
        body: APIOperation.Body(InlineBody.self), responses: inlineResponses, isAcceptedOnFullDisk: true
    )

    private static let inlineResponses: [OperationResponse] = [
        .ok(InlineMessagesResponse.self, "At most one message for each place.")
    ]

    let services: APIServices
    let version: EventVersion

    private func messages(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let meter = services.meter(of: context)
        let bytes = try await request.bodyBytes(meter: meter)
        let body = try Self.body(bytes)
        try meter.admitRead(bytes: bytes.count)
        let response = try await services.v3InAppMessages.inline(body.viewIDs, for: caller)
        // A client of version 4 deletes its rows after every 2xx, one of version 3 when the response names them.
        let campaigns = version == .v3 ? body.campaigns : []
        let messages = InlineMessagesResponse(
            inlineMessages: response.value.map(InlineMessagesResponse.Message.init), oldCampaigns: campaigns
        )
        return try Response.json(messages).carrying(stateOf: response)
    }

    private static func body(_ bytes: [UInt8]) throws(APIError) -> InlineBody {
        do {
            return try InlineBody(bytes)
        } catch {
            throw APIError(error)
        }
    }
}

extension InlineMessagesResponse.Message {
    fileprivate init(_ message: InlinePage) {
        self.init(
            campaignId: message.page.campaign.description, html: message.page.html, viewId: message.viewID
        )
    }
}
