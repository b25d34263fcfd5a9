/// The confirmation page of an action that cannot be undone. It works without scripts.
struct ConfirmModel: Sendable {
    struct Hidden: Sendable {
        let hiddenName: String
        let hiddenValue: String
    }

    let question: String
    /// The consequences of the action, in sentences.
    let consequences: [String]
    let buttonTitle: String
    let formAddress: String
    let backAddress: String
    let backTitle: String
    let formToken: String
    let hidden: [Hidden]
    let problem: String?

    init(
        _ question: String, consequences: [String], button: String, form: String, back: String, backTitle: String,
        formToken: String, hidden: [String: String] = [:], problem: String? = nil
    ) {
        self.question = question
        self.consequences = consequences
        buttonTitle = button
        formAddress = form
        backAddress = back
        self.backTitle = backTitle
        self.formToken = formToken
        self.hidden = hidden.sorted { $0.key < $1.key }.map { Hidden(hiddenName: $0.key, hiddenValue: $0.value) }
        self.problem = problem
    }
}
