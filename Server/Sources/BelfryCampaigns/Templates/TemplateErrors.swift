import BelfryModel

/// Everything that is wrong with a content's templates, each with its field.
package struct TemplateErrors: Error, Hashable, Sendable {
    /// One of them.
    package struct FieldError: Hashable, Sendable {
        /// From the content on: `title`, `action.url`, `custom.sku`, `defaults.city`.
        package let field: String
        package let error: ValueError

        package init(field: String, error: ValueError) {
            self.field = field
            self.error = error
        }
    }

    /// In the order of the fields; never empty.
    package let errors: [FieldError]

    package init(_ errors: [FieldError]) {
        self.errors = errors
    }
}

/// Why a content cannot be made for one recipient; the ledger's reason is `renderError` (CAMP-4).
package struct RenderError: Error, Hashable, Sendable {
    /// As the campaign has it, from the content on: `title`, `buttons[0].url`.
    package let field: String
    /// The variable at fault; empty when it is no single one.
    package let variable: String
    /// In a sentence, without the recipient's values.
    package let sentence: String

    package init(field: String, variable: String, sentence: String) {
        self.field = field
        self.variable = variable
        self.sentence = sentence
    }
}
