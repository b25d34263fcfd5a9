import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The endpoint for the device's push token (WIRE-5).
struct PushTokenController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        putRoute,
        putRoute.alias(path: "/v3/apps/{appCode}/client/push_token", id: "putPushTokenByUnderscore"),
        deleteRoute,
        deleteRoute.alias(path: "/v3/apps/{appCode}/client/push_token", id: "deletePushTokenByUnderscore"),
    ]

    private static let putRoute = Route(putPushToken) { Self(services: $0).put }
    private static let deleteRoute = Route(deletePushToken) { Self(services: $0).delete }

    private static let putPushToken = APIOperation(
        method: .put, path: "/v3/apps/{appCode}/client/push-token", id: "putPushToken", area: .device,
        access: .linkedDevice,
        summary: "Register the push token",
        description: "Another device that has the token loses it. Repeating the request changes nothing.",
        body: APIOperation.Body(PushTokenRequest.self), responses: [.done("The push token was stored.")]
    )

    private static let deletePushToken = APIOperation(
        method: .delete, path: "/v3/apps/{appCode}/client/push-token", id: "deletePushToken", area: .device,
        access: .linkedDevice,
        summary: "Remove the push token",
        description: "For a device that never sent a registration, this is an opt-out of the user. A body is ignored.",
        responses: [.done("The device has no push token.")]
    )

    let services: APIServices

    private func put(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let body = try await request.json(PushTokenRequest.self, meter: services.meter(of: context))
        let provider = try await provider(body, caller)
        let token = try services.clients.pushToken(
            body.pushToken, provider: provider, environment: body.environment ?? environment(provider, context.caller)
        )
        let response = try await services.clients.putPushToken(token, v3: context.caller.v3, caller: caller)
        return Response(status: .noContent).carrying(stateOf: response)
    }

    private func provider(_ body: PushTokenRequest, _ caller: AuthenticatedCaller) async throws -> PushProvider {
        if let provider = body.provider { return provider }
        let platform = try await services.clients.platform(of: caller)
        do {
            return try .standard(forPlatform: platform)
        } catch {
            throw ServiceError.invalid(field: "pushToken", error)
        }
    }

    /// The push environment. A client of v3 only says what kind of build it is (WIRE-29).
    private func environment(_ provider: PushProvider, _ caller: Caller) -> PushEnvironment {
        provider == .apns && caller.v3?.isDebugBuild == true ? .sandbox : .production
    }

    /// Clients send `{}` or no body; both are ignored.
    private func delete(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let response = try await services.clients.deletePushToken(caller: caller)
        return Response(status: .noContent).carrying(stateOf: response)
    }
}
