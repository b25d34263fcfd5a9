import BelfryModel
import BelfryServices

/// A refused form with its input. The error page contains the input, so that the person does not type it again
/// (CON-11). It is only returned to the browser that has just sent it, and only sent again when the person presses a
/// button (CON-3).
struct KeptForm: Error {
    enum Reason {
        /// The session of the form's page has ended.
        case signInFirst
        /// The person has signed in again since the form was shown.
        case newSession
        /// The work of the form failed.
        case failed(any Error)
    }

    /// The largest form that is kept, in bytes; a page with more would load slowly.
    static let maximumBytes = 256 << 10

    let fields: FormFields
    let reason: Reason

    /// Returns nil for a form that is too long, or without anything like a form token.
    init?(_ fields: FormFields, _ reason: Reason) {
        let size = fields.names.reduce(0) { sum, name in
            fields.all(name).reduce(sum) { $0 + name.utf8.count + $1.utf8.count }
        }
        guard size <= Self.maximumBytes, FormToken.user(of: fields["formToken"]) != nil else { return nil }
        self.fields = fields
        self.reason = reason
    }
}
