import BelfryModel
import BelfryStore

/// What it means for a registration that it could not be applied. It was acknowledged, so it is ended only when it can
/// never be applied (REG-20).
enum ApplicationFault: Hashable, Sendable {
    /// It, or what it is applied to, cannot be read or written.
    case lasting
    /// The database cannot do it now: everything waits.
    case passing
    /// Nobody knows. It is tried a few times, alone (SEC-8).
    case unknown

    init(_ error: any Error) {
        switch error {
        case let error where error.meansTryAgain: self = .passing
        case is StoreError, is DecodingError, is EncodingError, is Refusal: self = .lasting
        default: self = .unknown
        }
    }
}
