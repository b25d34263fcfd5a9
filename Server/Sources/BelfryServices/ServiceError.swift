import BelfryModel
import BelfryPush

/// Why a use case refused; the API gives each its status.
package enum ServiceError: Error, Hashable, Sendable {
    /// A field is wrong: which, and why. 400 for shapes, 422 for meaning.
    case invalid(field: String, ValueError)
    /// Several fields are wrong; every one is named (ADM-3).
    case invalidFields(FieldError, others: [FieldError])
    case unknownApp(String)
    case unauthorized(code: String, message: String)
    case forbidden(code: String, message: String)
    /// The refresh token is unknown: the device registers anew (WIRE-4).
    case registerAnew
    case notFound(what: String, id: String, code: String = "notFound")
    case conflict(code: String = "conflict", message: String)
    /// It was there once and never will be again.
    case gone(code: String, message: String)
    /// More calls than a limit grants (SEC-2): which limit, and after how many seconds the next call is.
    case tooManyCalls(limit: String, message: String, retryAfter: Int)

    /// What is asked of a ledger that went after the app's term (LED-3).
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

    /// Throws when there is an error; every one is named (ADM-3).
    static func refuse(_ errors: [FieldError]) throws(ServiceError) {
        guard let first = errors.first else { return }
        throw .invalidFields(first, others: Array(errors.dropFirst()))
    }
}
