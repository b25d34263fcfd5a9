import BelfryModel
import BelfryServices
import Hummingbird

/// Admits the bearers of admin keys (ADM-1), unless they call too often (SEC-2).
struct AdminAuthMiddleware: RouterMiddleware {
    let access: AdminAccess
    let limits: RequestLimits

    func handle(
        _ request: Request, context: APIRequestContext,
        next: (Request, APIRequestContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        let principal = try await access.principal(bearer: Self.key(in: request.headers[.authorization]))
        try limits.admit(principal)
        context.principal = principal
        // Before anything is done that could not be written down.
        try access.log.refuseIfFull()
        let response = try await next(request, context)
        // Writes tell the log themselves what they did; of a read, and of an answer that was given again, the route
        // says enough and names no person.
        if let action = Self.action(request, response) {
            let app = try? AppCode(context.parameters.get("app") ?? "")
            try await access.audit(principal, action: action, app: app, target: context.endpointPath)
        }
        return response
    }

    /// What the audit log is to call it; nil for what tells the log itself.
    private static func action(_ request: Request, _ response: Response) -> String? {
        if request.method == .get || request.method == .head { return "read" }
        return response.headers.contains(.idempotencyReplayed) ? "repeat" : nil
    }

    /// `Bearer <key>`; the scheme's name in any case (RFC 9110 §11.1).
    static func key(in header: String?) -> String? {
        guard let parts = header?.split(separator: " ", maxSplits: 1), parts.count == 2,
            parts[0].lowercased() == "bearer"
        else { return nil }
        return String(parts[1].drop { $0 == " " })
    }
}
