import BelfryModel
import BelfryServices
import Hummingbird

/// Lets calls with a valid admin key pass (ADM-1), unless they come too often (SEC-2).
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
        try access.log.rejectIfFull()
        let response = try await next(request, context)
        // Writes log themselves what they did. For a read, and for a response that was repeated, the route is enough,
        // and it names no person.
        if let action = Self.action(request, response) {
            let app = try? AppCode(context.parameters.get("app") ?? "")
            try await access.audit(principal, action: action, app: app, target: context.endpointPath)
        }
        return response
    }

    /// The action's name in the audit log; nil for a write, which logs itself.
    private static func action(_ request: Request, _ response: Response) -> String? {
        if request.method == .get || request.method == .head { return "read" }
        return response.headers.contains(.idempotencyReplayed) ? "repeat" : nil
    }

    /// The key in `Bearer <key>`; the scheme's name may have any case (RFC 9110 §11.1).
    static func key(in header: String?) -> String? {
        // By bytes: the space counts, whatever mark follows it (SEC-7).
        let space = UInt8(ascii: " ")
        guard let parts = header?.utf8.split(separator: space, maxSplits: 1), parts.count == 2,
            Substring(parts[0]).lowercased() == "bearer"
        else { return nil }
        return String(Substring(parts[1].drop { $0 == space }))
    }
}
