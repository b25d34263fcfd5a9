import BelfryWire
import Hummingbird

extension APIError {
    /// The maximum number of errors that a response names (ADM-3).
    static let maximumErrors = 20

    /// Names several errors of a request, the first one as the error itself, and says how many more there are.
    ///
    /// - Parameters:
    ///   - errors: no message is made for one that is not named.
    ///   - areAll: whether these are all errors there are.
    ///   - detail: makes the message of one.
    /// - Returns: nil if there is no error.
    init?<Failure>(
        _ status: HTTPResponse.Status, errors: some Collection<Failure>, areAll: Bool = true,
        detail: (Failure) -> ErrorBody.Detail
    ) {
        let named = errors.prefix(Self.maximumErrors).map(detail)
        guard let first = named.first else { return nil }
        var details = Array(named.dropFirst())
        if errors.count > named.count {
            let count = areAll ? "\(errors.count - named.count)" : "at least \(errors.count - named.count)"
            let message = "There are \(count) more errors. Fix these first."
            details.append(ErrorBody.Detail(code: ErrorCode.moreErrors, message: message))
        }
        self.init(
            status, first.code, first.message, target: first.target, details: details.isEmpty ? nil : details
        )
    }
}
