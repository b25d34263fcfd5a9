import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// The endpoint for the public key with which a browser subscribes (WIRE-16).
struct WebPushKeyController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(readWebPushKey) { Self(services: $0).read }
    ]

    private static let readWebPushKey = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/client/web-push-key", id: "readWebPushKey", area: .device,
        access: .device,
        summary: "Read the key to subscribe with",
        description: """
            A browser asks for it before it has a contact, and from time to time later: a subscription that was made \
            with another key gets no pushes. An app without a key pair is a 404 `webPushNotConfigured`.
            """,
        responses: [.ok(WebPushKeyResponse.self, "The app's public key.")], errors: [.notFound],
        isStateless: true
    )

    let services: APIServices

    private func read(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let app = context.caller.app
        guard let key = try await services.apps.webPushKey(of: app) else {
            throw ServiceError.notFound(
                what: "credentials", id: PushProvider.webpush.rawValue, code: WebPushKeyResponse.notConfigured
            )
        }
        return try Response.json(WebPushKeyResponse(publicKey: key))
    }
}

/// `GET /client/web-push-key` (WIRE-16).
package struct WebPushKeyResponse: Hashable, Sendable, Codable {
    /// The error code for an app without a key pair.
    package static let notConfigured = "webPushNotConfigured"

    /// The `applicationServerKey`: an uncompressed point of P-256 in base64url.
    package var publicKey: String

    package init(publicKey: String) {
        self.publicKey = publicKey
    }
}

extension WebPushKeyResponse: Described {
    static let schema: JSONSchema = .object([
        "publicKey": .string(87...87).described(
            "The `applicationServerKey` for `PushManager.subscribe`, as base64url without padding.")
    ])
}
