import BelfryWire
import Hummingbird

extension APIError {
    /// How many faults of a request one answer names (ADM-3).
    static let maximumErrors = 20

    /// Names several faults of a request, the first of them as the error itself, and says how many more there are.
    ///
    /// - Parameters:
    ///   - faults: none of them is worded before it is known to be named.
    ///   - areAll: whether there may be no others beside them.
    ///   - detail: words one.
    /// - Returns: nil when there is no fault.
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
