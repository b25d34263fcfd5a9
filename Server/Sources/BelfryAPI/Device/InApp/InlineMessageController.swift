import BelfryServices
import BelfryWire
import Hummingbird

/// Inline in-app messages by the places that they are for, of clients of version 3 (WIRE-14).
struct InlineMessageController: Sendable {
    let services: APIServices
    let version: EventVersion

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        group.post("inline-messages", use: messages)
    }

    private func messages(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let meter = services.meter(of: context)
        let bytes = try await request.bodyBytes(meter: meter)
        let body = try Self.body(bytes)
        try meter.admitRead(bytes: bytes.count)
        let answer = try await services.overlays.inline(body.viewIDs, for: caller)
        // A client of version 4 forgets its rows with every 2xx, one of version 3 when they are named.
        let campaigns = version == .v3 ? body.campaigns : []
        let messages = InlineMessagesAnswer(
            inlineMessages: answer.value.map(InlineMessagesAnswer.Message.init), oldCampaigns: campaigns
        )
        return try Response.json(messages).carrying(stateOf: answer)
    }

    private static func body(_ bytes: [UInt8]) throws(APIError) -> InlineBody {
        do {
            return try InlineBody(bytes)
        } catch {
            throw APIError(error)
        }
    }
}

extension InlineMessagesAnswer.Message {
    fileprivate init(_ message: InlinePage) {
        self.init(
            campaignId: message.page.campaign.description, html: message.page.html, viewId: message.viewID
        )
    }
}
