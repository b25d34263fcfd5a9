import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The device's push token (WIRE-5).
struct PushTokenController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        for path: RouterPath in ["client/push-token", "client/push_token"] {
            group.put(path, use: put)
            group.delete(path, use: delete)
        }
    }

    private func put(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let body = try await request.json(PushTokenRequest.self, meter: services.meter(of: context))
        let token = try services.clients.pushToken(
            body.pushToken, provider: try await provider(body, caller), environment: body.environment ?? .production
        )
        let answer = try await services.clients.putPushToken(token, caller: caller)
        return Response(status: .noContent).carrying(stateOf: answer)
    }

    private func provider(_ body: PushTokenRequest, _ caller: AuthenticatedCaller) async throws -> PushProvider {
        if let provider = body.provider { return provider }
        return .standard(forPlatform: try await services.clients.platform(of: caller))
    }

    /// Clients send `{}`, or nothing; neither says anything.
    private func delete(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let answer = try await services.clients.deletePushToken(caller: caller)
        return Response(status: .noContent).carrying(stateOf: answer)
    }
}
