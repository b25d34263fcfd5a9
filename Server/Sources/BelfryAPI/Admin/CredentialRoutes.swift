import BelfryModel
import BelfryServices

/// The routes for the credentials of push services, which are written and never read back (ADM-2, SEC-1).
package enum CredentialRoutes {
    static let all: [Route<AdminRequestContext>] =
        [
            listCredentials.route, putAPNsCredentials.route, putFCMCredentials.route, putWebPushCredentials.route,
        ] + PushProvider.allCases.flatMap { [removeCredentials(of: $0).route, checkCredentials(of: $0).route] }

    package static let listCredentials = AdminRoute(
        .get, inApp: "/credentials", id: "listCredentials", .apps, scope: .read,
        summary: "List the credentials of push services", description: "Without secrets.",
        response: "The stored credentials.", does: list
    )

    package static let putAPNsCredentials = put(
        .apns, "Store the credentials for APNs", "The key of an Apple developer team."
    ) { (call: AdminCall<APNsCredentialsRequest>, app: AppService.App) async throws -> APNsCredentialsResponse in
        let body = try await call.body()
        let secret = CredentialVault.APNsSecret(
            teamID: body.teamId, keyID: body.keyId, topic: body.topic, privateKey: body.privateKey,
            endpoint: body.endpoint, sandboxEndpoint: body.sandboxEndpoint, trustRoots: body.trustRoots
        )
        return APNsCredentialsResponse(try await call.services.apps.putAPNsCredentials(secret, app: app))
    }

    package static let putFCMCredentials = put(
        .fcm, "Store the credentials for FCM", "A Google service account."
    ) { (call: AdminCall<FCMCredentialsRequest>, app: AppService.App) async throws -> FCMCredentialsResponse in
        let body = try await call.body()
        let secret = CredentialVault.FCMSecret(
            serviceAccount: body.serviceAccount, endpoint: body.endpoint, trustRoots: body.trustRoots
        )
        return FCMCredentialsResponse(try await call.services.apps.putFCMCredentials(secret, app: app))
    }

    package static let putWebPushCredentials = put(
        .webpush, "Store the key pair for Web Push", "A VAPID key pair (RFC 8292)."
    ) { (call: AdminCall<WebPushCredentialsRequest>, app: AppService.App) async throws -> WebPushCredentialsResponse in
        let body = try await call.body()
        let secret = CredentialVault.WebPushSecret(
            subject: body.subject, privateKey: body.privateKey, trustRoots: body.trustRoots
        )
        return WebPushCredentialsResponse(try await call.services.apps.putWebPushCredentials(secret, app: app))
    }

    package static func removeCredentials(of provider: PushProvider) -> AdminRoute<NoBody, NoBody> {
        AdminRoute(
            .delete(audit: "credentials.remove", to: .provider(provider)), inApp: "/credentials/\(provider.rawValue)",
            id: "remove\(name(of: provider))Credentials", .apps, scope: .admin,
            summary: "Remove the credentials for \(provider.rawValue)",
            description: "Nothing is sent through that push service any more.",
            response: "The credentials were removed."
        ) { call, app in
            try await call.services.apps.removeCredentials(of: provider, app: app)
            return Done(to: provider.rawValue)
        }
    }

    package static func checkCredentials(of provider: PushProvider) -> AdminRoute<NoBody, CredentialCheckResponse> {
        AdminRoute(
            .post(audit: "credentials.check", to: .provider(provider)),
            inApp: "/credentials/\(provider.rawValue)/check",
            id: "check\(name(of: provider))Credentials", .apps, scope: .admin,
            summary: "Check the credentials for \(provider.rawValue)",
            description: "Checks them by a push to a device that does not exist. Nothing is delivered.",
            response: "The push service's response."
        ) { call, app in
            let record = try await call.services.apps.credentialRecord(provider, of: app)
            let result = await call.services.credentialCheck.check(provider, app: app.id, record: record)
            return Done(CredentialCheckResponse(result), to: provider.rawValue)
        }
    }

    private static func put<
        RequestBody: Described & Decodable & Sendable, ResponseBody: Described & Encodable & Sendable
    >(
        _ provider: PushProvider, _ summary: String, _ description: String,
        work: @escaping @Sendable (AdminCall<RequestBody>, AppService.App) async throws -> ResponseBody
    ) -> AdminRoute<RequestBody, ResponseBody> {
        AdminRoute(
            .put(audit: "credentials.put", to: .provider(provider)), inApp: "/credentials/\(provider.rawValue)",
            id: "put\(name(of: provider))Credentials", .apps, scope: .admin, summary: summary,
            description: "\(description) They are encrypted and never returned. Opt-outs that wrong ones had caused "
                + "are lifted.",
            response: "The credentials were stored.", isAcceptedOnFullDisk: true
        ) { call, app in
            Done(try await work(call, app), to: provider.rawValue)
        }
    }

    private static func name(of provider: PushProvider) -> String {
        switch provider {
        case .apns: "APNs"
        case .fcm: "FCM"
        case .webpush: "WebPush"
        }
    }

    /// The response contains no secrets.
    private static func list(
        _ call: AdminCall<NoBody>, app: AppService.App
    ) async throws -> Done<CredentialListResponse> {
        Done(CredentialListResponse(try await call.services.apps.credentials(of: app)))
    }
}
