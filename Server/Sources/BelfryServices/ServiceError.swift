import BelfryModel
import BelfryPush

/// Why a use case refused a call. The API maps each case to an HTTP status.
package enum ServiceError: Error, Hashable, Sendable {
    /// A field is wrong: which, and why. Status 400 for shapes, 422 for meaning.
    case invalid(field: String, ValueError)
    /// Several fields are wrong; the error names all of them (ADM-3).
    case invalidFields(FieldError, others: [FieldError])
    case unknownApp(String)
    case unauthorized(code: String, message: String)
    case forbidden(code: String, message: String)
    /// The refresh token is unknown: the device must register again (WIRE-4).
    case registerAnew
    case notFound(what: String, id: String, code: String = "notFound")
    case conflict(code: String = "conflict", message: String)
    /// The resource existed and will never exist again.
    case gone(code: String, message: String)
    /// More calls than a limit allows (SEC-2): which limit, and the seconds until the next call is allowed.
    case tooManyCalls(limit: String, message: String, retryAfter: Int)

    /// The error for a question about a ledger that was deleted after the app's term (LED-3).
    static func ledgerRemoved(of campaign: CampaignID) -> ServiceError {
        .gone(
            code: "ledgerRemoved",
            message: """
                What became of campaign \(campaign) on each device was removed, as the app's deliveryRetentionDays says. \
                Its sums stay.
                """
        )
    }

    static func invalid(_ field: String, _ code: String, _ message: String) -> ServiceError {
        .invalid(field: field, ValueError(code: code, message: message))
    }

    /// Throws when there are errors; the error names all of them (ADM-3).
    static func reject(_ errors: [FieldError]) throws(ServiceError) {
        guard let first = errors.first else { return }
        throw .invalidFields(first, others: Array(errors.dropFirst()))
    }
}
