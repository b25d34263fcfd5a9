import BelfryModel
import BelfryServices
import BelfryWire
import Foundation
import Hummingbird

/// Lets browsers on pages of an app's allowed origins use the device API (WIRE-24). An origin must be in the list
/// exactly; there are no wildcards and no cookies.
struct CrossOrigin: Sendable {
    /// The headers that our SDK and clients of version 3 send.
    private static let requestHeaders = [
        "Content-Type", "Content-Encoding", HeaderNames.clientID, HeaderNames.clientState, HeaderNames.contactToken,
        HeaderNames.requestOrder, HeaderNames.clientTime, HeaderNames.idempotencyKey, "X-EMARSYS-SDK-VERSION",
        "X-EMARSYS-SDK-MODE",
    ].joined(separator: ", ")
    /// `Date` is exposed too: from it a browser learns the server's clock (EVT-9).
    private static let exposedHeaders = "\(HeaderNames.clientState), Retry-After, Date"
    /// How long a browser may cache the permission, in seconds.
    private static let maximumAge = "600"

    let apps: AppService
    let routes: RouteTable

    /// The response to a browser's preflight; nil for every other request.
    func preflight(_ request: Request) async throws -> Response? {
        guard request.method == .options, let origin = request.headers[.origin],
            request.headers.contains(.accessControlRequestMethod)
        else { return nil }
        let path = request.uri.path
        let methods = routes.methods(at: path)
        guard !methods.isEmpty, let code = Self.appCode(in: path) else { return nil }
        guard Self.allows(origin, try await apps.find(code)) else {
            throw APIError(
                .forbidden, ErrorCode.originNotAllowed,
                "This origin is not in the app's allowedOrigins.", target: "Origin"
            )
        }
        // The other headers are added as to every response to this origin.
        return Response(
            status: .noContent,
            headers: [
                .accessControlAllowMethods: methods.joined(separator: ", "),
                .accessControlAllowHeaders: Self.requestHeaders, .accessControlMaxAge: Self.maximumAge,
            ]
        )
    }

    /// Lets the page read a response, including an error, if its origin is allowed.
    func open(_ response: inout Response, to request: Request) async {
        guard request.headers.contains(.origin), let origin = request.headers[.origin],
            let code = Self.appCode(in: request.uri.path), let app = try? await apps.find(code),
            Self.allows(origin, app)
        else { return }
        response.headers[.accessControlAllowOrigin] = origin
        response.headers[.accessControlExposeHeaders] = Self.exposedHeaders
        response.vary(by: .origin)
    }

    /// The app that an address of the device API names.
    private static func appCode(in path: String) -> String? {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3).map { String(Substring($0)) }
        guard parts.count > 3, parts[0] == "v3" || parts[0] == "v4", parts[1] == "apps" else { return nil }
        return WireURL.decoded(parts[2])
    }

    private static func allows(_ origin: String, _ app: AppService.App) -> Bool {
        app.settings.origins.contains(origin)
    }
}
