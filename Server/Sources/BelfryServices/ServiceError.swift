import BelfryModel

/// Why a use case refused; the API gives each its status.
package enum ServiceError: Error, Hashable, Sendable {
    /// A field is wrong: which, and why. 400 for shapes, 422 for meaning.
    case invalid(field: String, Refusal)
    case unknownApp(String)
    case unauthorized(code: String, message: String)
    case forbidden(code: String, message: String)
    /// The refresh token is unknown: the device registers anew (WIRE-4).
    case registerAnew
    case notFound(what: String, id: String)
    case conflict(message: String)

    static func invalid(_ field: String, _ code: String, _ message: String) -> ServiceError {
        .invalid(field: field, Refusal(code: code, message: message))
    }
}
