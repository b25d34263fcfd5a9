import BelfryServices
import BelfryWire
import Hummingbird

/// The device's badge (WIRE-12).
struct BadgeController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        group.get("client/badge", use: find)
        group.put("client/badge", use: put)
    }

    private func find(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let answer = try await services.badges.badge(of: caller)
        return try Response.json(answer.value).carrying(stateOf: answer)
    }

    private func put(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let body = try await request.json(BadgeRequest.self, meter: services.meter(of: context))
        let answer = try await services.badges.set(body.count, revision: body.revision, of: caller)
        return try Response.json(answer.value).carrying(stateOf: answer)
    }
}
