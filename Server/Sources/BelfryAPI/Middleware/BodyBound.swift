import BelfryWire
import Hummingbird

/// Refuses a body that announces itself as too large, before anything of it is read (WIRE-23, SEC-2). One that does
/// not announce its length is bounded where it is read.
struct BodyBound: RouterMiddleware {
    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        if let length = request.headers[.contentLength].flatMap(Int.init), length > WireLimits.maximumBodyBytes {
            throw APIError.bodyTooLarge
        }
        return try await next(request, context)
    }
}
