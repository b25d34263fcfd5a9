import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// How many devices an audience has, before anybody makes a campaign of it (CAMP-3).
struct AudienceController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        group.post("apps/:app/audience", use: count)
    }

    private func count(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        let bytes = try await request.jsonBytes()
        try KnownKeys.audience.check(bytes)
        let body = try JSONBody.decode(AudienceCountRequest.self, from: bytes)
        let devices = try await services.campaigns.countAudience(body.audience, app: app)
        try await services.audit(context, "audience.count", app: app)
        return try Response.json(AudienceCountAnswer(devices: devices))
    }
}
