import BelfryServices
import BelfryWire
import Hummingbird

/// The two APIs answer the same refusal differently.
enum Surface: Hashable, Sendable {
    /// Every fault of a request is a 400, an unknown app as well (WIRE-22).
    case device
    /// What is well formed but means nothing is a 422, an unknown app a 404 (ADM-3).
    case admin
}

extension APIError {
    /// Parameters of a query: their faults are of shape on both surfaces.
    private static let queryParameters: Set<String> = ["cursor", "limit"]

    init(_ error: ServiceError, surface: Surface) {
        switch error {
        case .invalid(let field, let refusal):
            let isShape = surface == .device || Self.queryParameters.contains(field)
            self.init(isShape ? .badRequest : .unprocessableContent, refusal.code, refusal.message, target: field)
        case .invalidFields(let first, let others):
            let details = others.prefix(KnownKeys.maximumFaults - 1).map {
                ErrorBody.Detail(code: $0.refusal.code, message: $0.refusal.message, target: $0.field)
            }
            self.init(
                surface == .device ? .badRequest : .unprocessableContent, first.refusal.code, first.refusal.message,
                target: first.field, details: details.isEmpty ? nil : details
            )
        case .unknownApp(let code):
            self.init(
                surface == .device ? .badRequest : .notFound, ErrorCode.unknownApp,
                "There is no app with the code '\(code)'.", target: surface == .device ? "appCode" : "app"
            )
        case .unauthorized(let code, let message):
            self.init(
                .unauthorized, code, message, target: surface == .device ? HeaderNames.contactToken : "Authorization",
                headers: surface == .admin ? [.wwwAuthenticate: "Bearer"] : [:]
            )
        case .forbidden(let code, let message):
            self.init(.forbidden, code, message)
        case .registerAnew:
            self.init(
                .badRequest, ErrorCode.registerAnew, "The refresh token is not known: register and link anew.",
                target: "refreshToken"
            )
        case .notFound(let what, let id, let code):
            self.init(.notFound, code, "There is no \(what) '\(id)'.", target: what)
        case .conflict(let code, let message):
            self.init(.conflict, code, message)
        case .gone(let code, let message):
            self.init(.gone, code, message)
        case .tooManyCalls(let limit, let message, let seconds):
            self.init(
                .tooManyRequests, ErrorCode.tooManyRequests, message, target: limit,
                headers: [.retryAfter: String(seconds)]
            )
        }
    }
}
