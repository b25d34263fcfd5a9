import BelfryServices
import BelfryWire
import Hummingbird

/// The two APIs respond differently to the same error.
enum Surface: Hashable, Sendable {
    /// Every error of a request is a 400, including an unknown app (WIRE-22).
    case device
    /// A well-formed request without a meaning is a 422, an unknown app a 404 (ADM-3).
    case admin
}

extension APIError {
    /// Query parameters: errors in them are malformed requests in both APIs.
    private static let queryParameters: Set<String> = ["cursor", "limit"]

    init(_ error: ServiceError, surface: Surface) {
        switch error {
        case .invalid(let field, let error):
            let isShape = surface == .device || Self.queryParameters.contains(field)
            self.init(isShape ? .badRequest : .unprocessableContent, error.code, error.message, target: field)
        case .invalidFields(let first, let others):
            let status: HTTPResponse.Status = surface == .device ? .badRequest : .unprocessableContent
            let error = APIError(status, errors: [first] + others) {
                ErrorBody.Detail(code: $0.error.code, message: $0.error.message, target: $0.field)
            }
            self = error ?? .internalError
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
                .badRequest, ErrorCode.registerAnew,
                "The refresh token is unknown. Register the device and link it again.",
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
