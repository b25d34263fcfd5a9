import BelfryModel
import BelfryServerModel

/// One variant of an in-app message, compiled once (CAMP-4).
package struct InAppTemplate: Sendable {
    /// The content. Where a text differs by recipient, it is a ``TextPlaceholder`` marker and nothing else.
    let content: InAppContent

    private let texts: CompiledTexts

    /// - Parameters:
    ///   - draft: one variant (``InAppDraft/variant(_:)``). Its own `variants` are ignored.
    ///   - allowsScripts: the app's setting `inAppScripts`. Without it, script in a message that was saved earlier is
    ///     an error, too.
    ///   - texts: shared by all variants.
    package init(_ draft: InAppDraft, allowsScripts: Bool, texts: TextCompiler) throws(TemplateErrors) {
        var compiler = ContentCompiler(defaults: draft.defaults, texts)
        content = compiler.compile(draft.content, .inApp(allowsScripts: allowsScripts))
        self.texts = try CompiledTexts(compiler)
    }

    /// Compiles a message without variants.
    ///
    /// - Parameter schema: the app's attributes and their types.
    package init(
        _ draft: InAppDraft, schema: [String: AttributeType], allowsScripts: Bool
    ) throws(TemplateErrors) {
        try self.init(draft, allowsScripts: allowsScripts, texts: TextCompiler(schema: schema))
    }

    /// The variables that the texts use, each once, in the order in which ``render(_:)`` takes the values.
    package var variables: [TemplateVariable] { texts.variables }

    /// Whether recipients get different texts. A text can differ without a variable's value, by sections for recipients
    /// who lack one.
    package var isTemplated: Bool { !texts.isEmpty }

    /// The content for one recipient. A title, a body or an image's description that becomes blank is left out.
    ///
    /// - Parameter values: in the order of ``variables``. Nil where the recipient has none.
    package func render(_ values: [String?]) throws(RenderError) -> InAppContent {
        guard isTemplated else { return content }
        let rendered = try texts.render(values)
        var made = content.replacingTexts { text in CompiledTexts.gap(in: text).map { rendered[$0] } ?? text }
        made.leaveOutBlankTexts()
        guard made.hasText || made.imageUrl != nil || !content.hasText else {
            throw RenderError(
                field: content.body == nil ? "title" : "body", variable: "", sentence: "The text is empty."
            )
        }
        return made
    }
}

extension InAppContent {
    /// Leaves out a title, a body or an image's description that is blank.
    package mutating func leaveOutBlankTexts() {
        func unlessBlank(_ text: String) -> String? { text.showsNothing ? nil : text }
        title = title.flatMap(unlessBlank)
        body = body.flatMap(unlessBlank)
        imageAlt = imageAlt.flatMap(unlessBlank)
    }

    fileprivate var hasText: Bool { title != nil || body != nil }
}
