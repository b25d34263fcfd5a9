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

/// The page of a form that was not taken.
struct KeptFormModel: Sendable {
    struct Field: Sendable {
        let keptName: String
        let keptValue: String
    }

    /// Texts that are shown, for whoever wants to copy them.
    private static let maximumShown = 40
    /// What a form says of itself, not of what was typed.
    private static let technical: Set<String> = [
        "formToken", "version", "campaign", "kind", "then", "present", "from", "zone", "key", ComposeForm.choice,
    ]

    let title: String
    let sentence: String
    let advice: String
    let formAddress: String
    let formToken: String
    let sendTitle: String
    let signInAddress: String?
    let kept: [Field]
    let texts: [Field]
    let hasTexts: Bool

    /// - Parameters:
    ///   - address: to which the form was sent.
    ///   - user: who is signed in; nil: nobody.
    init(_ form: KeptForm, _ error: ErrorPage, address: String, user: SignedInUser?) {
        title = error.title
        sentence = error.sentence
        advice = error.advice
        formAddress = address
        formToken = user?.formToken ?? form.fields["formToken"]
        sendTitle = user == nil ? "Go on with what I typed" : "Send what I typed"
        signInAddress = user == nil ? SignInPages.address(returningTo: "/console/signed-in") : nil
        let all = form.fields.names.filter { $0 != "formToken" }.sorted().flatMap { name in
            form.fields.all(name).map { Field(keptName: name, keptValue: $0) }
        }
        kept = all
        texts = Array(
            all.filter { !Self.technical.contains($0.keptName) && !$0.keptValue.showsNothing }.prefix(Self.maximumShown)
        )
        hasTexts = !texts.isEmpty
    }
}
