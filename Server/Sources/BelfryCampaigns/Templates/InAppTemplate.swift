import BelfryModel
import BelfryServerModel

/// What one variant of an in-app message says and does, compiled once (CAMP-4).
package struct InAppTemplate: Sendable {
    /// The content; where a text differs by recipient stands its ``TextPlaceholder`` marker and nothing else.
    let content: InAppContent

    private let texts: CompiledTexts

    /// - Parameters:
    ///   - draft: one variant (``InAppDraft/variant(_:)``); its own `variants` are not looked at.
    ///   - allowsScripts: the app's setting `inAppScripts`. What was saved before it was taken back is refused, too.
    ///   - texts: of all variants.
    package init(_ draft: InAppDraft, allowsScripts: Bool, texts: TextCompiler) throws(TemplateErrors) {
        var compiler = ContentCompiler(defaults: draft.defaults, texts)
        content = compiler.compile(draft.content, .inApp(allowsScripts: allowsScripts))
        self.texts = try CompiledTexts(compiler)
    }

    /// The same of a message without variants.
    ///
    /// - Parameter schema: the app's attributes and their types.
    package init(
        _ draft: InAppDraft, schema: [String: AttributeType], allowsScripts: Bool
    ) throws(TemplateErrors) {
        try self.init(draft, allowsScripts: allowsScripts, texts: TextCompiler(schema: schema))
    }

    /// What the texts ask of a recipient, in the order in which ``render(_:)`` takes the values; each once.
    package var variables: [TemplateVariable] { texts.variables }

    /// Whether recipients get different texts. One can differ without a variable's value: by what it lacks.
    package var isTemplated: Bool { !texts.isEmpty }

    /// The content as one recipient gets it. A title, a body or an image's description of which nothing is left is left
    /// out.
    ///
    /// - Parameter values: in the order of ``variables``; nil where the recipient has none.
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
    /// A title, a body or an image's description that shows nothing is none.
    package mutating func leaveOutBlankTexts() {
        func unlessBlank(_ text: String) -> String? { text.showsNothing ? nil : text }
        title = title.flatMap(unlessBlank)
        body = body.flatMap(unlessBlank)
        imageAlt = imageAlt.flatMap(unlessBlank)
    }

    fileprivate var hasText: Bool { title != nil || body != nil }
}
