import BelfryModel
import Foundation

/// Opt-outs that other credentials of a push service lift: those of one reason, at or after a moment, of devices whose token
/// is the service's or that have none.
package struct OptOutLifting: Hashable, Sendable {
    private let provider: PushProvider
    private let reason: OptOutReason
    private let since: Date?

    package init(_ reason: OptOutReason, of provider: PushProvider, since: Date? = nil) {
        self.provider = provider
        self.reason = reason
        self.since = since
    }

    static let condition: SQLText =
        "opt_out_reason = ? AND opt_out_at >= ? AND (push_provider = ? OR push_provider IS NULL)"

    /// Of ``condition``.
    var arguments: [SQLValue] {
        [.text(reason.rawValue), .integer(since?.milliseconds ?? .min), .text(provider.rawValue)]
    }
}
