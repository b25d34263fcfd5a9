import BelfryServices
import BelfryWire
import Hummingbird

/// The in-app messages of a device (WIRE-9).
struct InAppController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        group.get("client/in-app-messages", use: messages)
    }

    private func messages(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let cursor = request.uri.queryParameters["since"].map(String.init)
        let answer = try await services.inApp.sync(since: cursor, for: caller)
        return Response.json(bytes: try InAppText.sync(answer.value)).carrying(stateOf: answer)
    }
}
