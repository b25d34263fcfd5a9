/// Why a content cannot be made for one recipient; the ledger's reason is `renderError` (CAMP-4).
public struct RenderFault: Error, Hashable, Sendable {
    /// As the campaign has it, from the content on: `title`, `buttons[0].url`.
    public let field: String
    /// The variable at fault; empty when it is no single one.
    public let variable: String
    /// In a sentence, without the recipient's values.
    public let sentence: String

    public init(field: String, variable: String, sentence: String) {
        self.field = field
        self.variable = variable
        self.sentence = sentence
    }
}
