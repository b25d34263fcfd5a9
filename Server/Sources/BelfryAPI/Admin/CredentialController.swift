import BelfryServices
import BelfryWire
import Hummingbird

/// The credentials of push services: written, never read back (ADM-2, SEC-1).
struct CredentialController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        group.put("apps/:app/credentials/apns", use: putAPNs)
    }

    private func putAPNs(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let body = try await request.json(APNsCredentialsRequest.self)
        let secret = CredentialVault.APNsSecret(
            teamID: body.teamId, keyID: body.keyId, topic: body.topic, privateKey: body.privateKey,
            endpoint: body.endpoint, sandboxEndpoint: body.sandboxEndpoint, trustRoots: body.trustRoots
        )
        try await services.apps.putAPNsCredentials(secret, app: app)
        try await services.audit(context, "credentials.put", app: app, target: "apns")
        return try Response.json(
            APNsCredentialsAnswer(teamId: body.teamId, keyId: body.keyId, topic: body.topic)
        )
    }
}
