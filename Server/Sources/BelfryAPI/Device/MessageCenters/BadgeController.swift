import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The endpoint for the device's badge (WIRE-12).
struct BadgeController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(readBadge) { Self(services: $0).find },
        Route(putBadge) { Self(services: $0).put },
    ]

    private static let readBadge = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/client/badge", id: "readBadge", area: .device, access: .linkedDevice,
        summary: "Read the device's badge", responses: [.ok(Badge.self, "The number and its revision.")]
    )

    private static let putBadge = APIOperation(
        method: .put, path: "/v3/apps/{appCode}/client/badge", id: "putBadge", area: .device, access: .linkedDevice,
        summary: "Set the device's badge",
        description: """
            A count above the app's maximum becomes the maximum. The same count and revision as before change nothing.
            """,
        body: APIOperation.Body(BadgeRequest.self), responses: [.ok(Badge.self, "The badge.")],
        isAcceptedOnFullDisk: true
    )

    let services: APIServices

    private func find(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let response = try await services.badges.badge(of: caller)
        return try Response.json(response.value).carrying(stateOf: response)
    }

    private func put(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let body = try await request.json(BadgeRequest.self, meter: services.meter(of: context))
        let response = try await services.badges.set(body.count, revision: body.revision, of: caller)
        return try Response.json(response.value).carrying(stateOf: response)
    }
}
