import BelfryModel

/// All errors of a content's templates, each with its field.
package struct TemplateErrors: Error, Hashable, Sendable {
    /// One error.
    package struct FieldError: Hashable, Sendable {
        /// The field, relative to the content: `title`, `action.url`, `custom.sku`, `defaults.city`.
        package let field: String
        package let error: ValueError

        package init(field: String, error: ValueError) {
            self.field = field
            self.error = error
        }
    }

    /// The errors in the order of the fields; never empty.
    package let errors: [FieldError]

    package init(_ errors: [FieldError]) {
        self.errors = errors
    }
}

/// Why a content cannot be rendered for one recipient. The ledger's reason is `renderError` (CAMP-4).
package struct RenderError: Error, Hashable, Sendable {
    /// The campaign's field, relative to the content: `title`, `buttons[0].url`.
    package let field: String
    /// The variable that causes the error. Empty when no single one does.
    package let variable: String
    /// The error in a sentence, without the recipient's values.
    package let sentence: String

    package init(field: String, variable: String, sentence: String) {
        self.field = field
        self.variable = variable
        self.sentence = sentence
    }
}
