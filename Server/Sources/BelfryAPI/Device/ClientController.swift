import BelfryServices
import BelfryWire
import Hummingbird

/// Device properties (WIRE-1).
struct ClientController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        group.post("client", use: putProperties)
    }

    private func putProperties(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let properties = try await request.json(ClientProperties.self, meter: services.meter(of: context))
        let answer = try await services.clients.putProperties(
            properties.system(), osPushEnabled: properties.osPushEnabled,
            caller: services.arriving(context)
        )
        return Response(status: .noContent).carrying(stateOf: answer)
    }
}
