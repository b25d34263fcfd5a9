import BelfryModel
import Foundation

/// Opt-outs that new credentials of a push service lift: those with one reason, at or after a moment, of devices whose
/// token belongs to the service or that have no token.
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

    /// The arguments of ``condition``.
    var arguments: [SQLValue] {
        [.text(reason.rawValue), .integer(since?.milliseconds ?? .min), .text(provider.rawValue)]
    }
}
