import BelfryServices
import Hummingbird

/// Every answer of the device API carries `X-Client-State` (WIRE-20): a refusal gives back the one that came, if it is
/// one of ours; a forged one is not repeated.
struct ClientStateEcho: RouterMiddleware {
    let authentication: CallerAuthentication

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        guard response.headers[.clientState] == nil, let shown = request.headers[.clientState],
            let state = authentication.knownState(shown, client: request.headers[.clientID])
        else { return response }
        response.headers[.clientState] = state
        return response
    }
}
