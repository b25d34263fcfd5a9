import BelfryModel
import BelfryServices

/// A form that was not taken, with what was typed in it: the page that says why keeps it, so that nobody types it twice
/// (CON-11). It is only ever given back to the browser that has just sent it, and sent again by a press (CON-3).
struct KeptForm: Error {
    enum Reason {
        /// The session of its page has ended.
        case signInFirst
        /// The same person has signed in again since.
        case newSession
        /// It could not be done.
        case failed(any Error)
    }

    /// Bytes of what is kept; a page with more would take long to load.
    static let maximumBytes = 256 << 10

    let fields: FormFields
    let reason: Reason

    /// Nil for what is too long, and for what carries nothing like a form token.
    init?(_ fields: FormFields, _ reason: Reason) {
        let size = fields.names.reduce(0) { sum, name in
            fields.all(name).reduce(sum) { $0 + name.utf8.count + $1.utf8.count }
        }
        guard size <= Self.maximumBytes, FormToken.user(of: fields["formToken"]) != nil else { return nil }
        self.fields = fields
        self.reason = reason
    }
}
