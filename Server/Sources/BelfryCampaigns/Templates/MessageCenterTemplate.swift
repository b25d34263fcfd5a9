import BelfryModel
import BelfryServerModel

/// What one variant of a campaign keeps in a message center, compiled once (CAMP-4).
package struct MessageCenterTemplate: Sendable {
    /// The content; where a text differs by recipient stands its ``TextPlaceholder`` marker and nothing else.
    let content: MessageCenterContent

    private let texts: CompiledTexts

    /// - Parameters:
    ///   - content: one variant (``MessageCenterContent/variant(_:)``); its own `variants` are not looked at.
    ///   - texts: of all variants.
    package init(_ content: MessageCenterContent, texts: TextCompiler) throws(TemplateErrors) {
        var compiler = ContentCompiler(defaults: content.defaults, texts)
        self.content = compiler.compile(content)
        self.texts = try CompiledTexts(compiler)
    }

    /// The same of a content without variants.
    ///
    /// - Parameter schema: the app's attributes and their types.
    package init(_ content: MessageCenterContent, schema: [String: AttributeType]) throws(TemplateErrors) {
        try self.init(content, texts: TextCompiler(schema: schema))
    }

    /// What the texts ask of a recipient, in the order in which ``render(_:)`` takes the values; each once.
    package var variables: [TemplateVariable] { texts.variables }

    /// Whether recipients get different texts. One can differ without a variable's value: by what it lacks.
    package var isTemplated: Bool { !texts.isEmpty }

    /// Whether the rich content is among the texts that differ.
    package var hasTemplatedRichHTML: Bool { content.richHtml.flatMap(CompiledTexts.gap) != nil }

    /// The content as one recipient gets it.
    ///
    /// - Parameter values: in the order of ``variables``; nil where the recipient has none.
    package func render(_ values: [String?]) throws(RenderError) -> MessageCenterContent {
        guard isTemplated else { return content }
        let rendered = try texts.render(values)
        return content.replacingTexts { text in CompiledTexts.gap(in: text).map { rendered[$0] } ?? text }
    }
}
