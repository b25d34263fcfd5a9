import Hummingbird

/// Rejects requests of other sites' pages to the control API with 403.
struct OwnOriginMiddleware: RouterMiddleware {
    typealias Context = ControlContext

    let rule: RequestOriginRule

    func handle(
        _ request: Request, context: ControlContext,
        next: (Request, ControlContext) async throws -> Response
    ) async throws -> Response {
        let caller = RequestOriginRule.Caller(
            host: request.head.authority,
            origin: request.headers[.origin],
            site: request.headers.first { $0.name.canonicalName == "sec-fetch-site" }?.value
        )
        do throws(RequestOriginRule.Rejection) {
            try rule.check(caller)
        } catch {
            throw ControlError(error)
        }
        return try await next(request, context)
    }
}
