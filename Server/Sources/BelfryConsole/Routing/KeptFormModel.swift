import BelfryModel
import BelfryServices

/// The page that shows a refused form with its input.
struct KeptFormModel: Sendable {
    struct Field: Sendable {
        let keptName: String
        let keptValue: String
    }

    /// The number of texts that are shown, so that the person can copy them.
    private static let maximumShown = 40
    /// The fields that belong to the form itself, and were not typed.
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
    ///   - address: the address to which the form was sent.
    ///   - user: the signed-in person; nil: nobody.
    init(_ form: KeptForm, _ error: ErrorPage, address: String, user: SignedInUser?) {
        title = error.title
        sentence = error.sentence
        advice = error.advice
        formAddress = address
        formToken = user?.formToken ?? form.fields["formToken"]
        sendTitle = user == nil ? "Continue with what I typed" : "Send what I typed"
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
