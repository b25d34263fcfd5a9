import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The credentials of push services: written, never read back (ADM-2, SEC-1).
struct CredentialController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<AdminRequestContext>) {
        group.get("apps/:app/credentials", use: list)
        group.put("apps/:app/credentials/apns", use: putAPNs)
        group.put("apps/:app/credentials/fcm", use: putFCM)
        group.put("apps/:app/credentials/webpush", use: putWebPush)
        for provider in PushProvider.allCases {
            group.delete(RouterPath("apps/:app/credentials/\(provider.rawValue)")) { _, context in
                try await remove(provider, context)
            }
        }
    }

    /// Nothing in it is secret.
    private func list(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .read)
        return try Response.json(CredentialListAnswer(try await services.apps.credentials(of: app)))
    }

    private func putAPNs(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let body = try await Self.body(APNsCredentialsRequest.self, .apns, of: request)
        let secret = CredentialVault.APNsSecret(
            teamID: body.teamId, keyID: body.keyId, topic: body.topic, privateKey: body.privateKey,
            endpoint: body.endpoint, sandboxEndpoint: body.sandboxEndpoint, trustRoots: body.trustRoots
        )
        let facts = try await services.apps.putAPNsCredentials(secret, app: app)
        try await services.audit(context, "credentials.put", app: app, target: PushProvider.apns.rawValue)
        return try Response.json(APNsCredentialsAnswer(facts))
    }

    private func putFCM(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let body = try await Self.body(FCMCredentialsRequest.self, .fcm, of: request)
        let secret = CredentialVault.FCMSecret(
            serviceAccount: body.serviceAccount, endpoint: body.endpoint, trustRoots: body.trustRoots
        )
        let facts = try await services.apps.putFCMCredentials(secret, app: app)
        try await services.audit(context, "credentials.put", app: app, target: PushProvider.fcm.rawValue)
        return try Response.json(FCMCredentialsAnswer(facts))
    }

    private func putWebPush(_ request: Request, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        let body = try await Self.body(WebPushCredentialsRequest.self, .webPush, of: request)
        let secret = CredentialVault.WebPushSecret(
            subject: body.subject, privateKey: body.privateKey, trustRoots: body.trustRoots
        )
        let facts = try await services.apps.putWebPushCredentials(secret, app: app)
        try await services.audit(context, "credentials.put", app: app, target: PushProvider.webpush.rawValue)
        return try Response.json(WebPushCredentialsAnswer(facts))
    }

    /// A field that this version does not know is named: misspelt, an endpoint or a trust root would be left out and the
    /// pushes would go elsewhere.
    private static func body<Body: Decodable>(
        _ type: Body.Type, _ keys: KnownKeys, of request: Request
    ) async throws -> Body {
        let bytes = try await request.jsonBytes()
        try keys.check(bytes)
        return try JSONBody.decode(type, from: bytes)
    }

    private func remove(_ provider: PushProvider, _ context: AdminRequestContext) async throws -> Response {
        let app = try await services.app(of: context, scope: .admin)
        try await services.apps.removeCredentials(of: provider, app: app)
        try await services.audit(context, "credentials.remove", app: app, target: provider.rawValue)
        return Response(status: .noContent)
    }
}
