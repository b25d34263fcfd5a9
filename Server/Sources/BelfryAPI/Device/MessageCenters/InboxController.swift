import BelfryServices
import BelfryWire
import Hummingbird

/// What a contact has in its message centres (WIRE-10), and the inbox of version 3 (WIRE-13).
struct InboxController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        group.get("client/message-centers", use: centers)
        group.get("client/message-centers/:center/messages", use: messages)
        group.get("inbox", use: inbox)
    }

    private func centers(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let answer = try await services.inbox.centers(for: caller)
        return Response.json(bytes: InboxText.centers(answer.value)).carrying(stateOf: answer)
    }

    private func messages(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let answer = try await services.inbox.messages(in: context.pathParameter("center"), for: caller)
        return Response.json(bytes: InboxText.messages(answer.value)).carrying(stateOf: answer)
    }

    private func inbox(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let answer = try await services.inbox.newest(for: caller)
        return try Response.json(try InboxAnswer(answer.value)).carrying(stateOf: answer)
    }
}
