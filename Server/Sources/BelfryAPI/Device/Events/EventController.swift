import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Takes events in (WIRE-6): the good ones are stored, the bad ones named.
struct EventController: Sendable {
    let services: APIServices
    let version: EventVersion

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        group.post("client/events", use: store)
    }

    private func store(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let batch = try EventBatch(try await request.bodyBytes(), client: caller.client)
        let answer = try await services.events.store(batch.events, caller: caller)
        guard let json = try batch.answer(to: version) else {
            return Response(status: .noContent).carrying(stateOf: answer)
        }
        return Response.json(bytes: json).carrying(stateOf: answer)
    }
}
