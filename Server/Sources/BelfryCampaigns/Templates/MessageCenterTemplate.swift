import BelfryModel
import BelfryServerModel

/// One variant of a campaign's message center message, compiled once (CAMP-4).
package struct MessageCenterTemplate: Sendable {
    /// The content. Where a text differs by recipient, it is a ``TextPlaceholder`` marker and nothing else.
    let content: MessageCenterContent

    private let texts: CompiledTexts

    /// - Parameters:
    ///   - content: one variant (``MessageCenterContent/variant(_:)``). Its own `variants` are ignored.
    ///   - texts: shared by all variants.
    package init(_ content: MessageCenterContent, texts: TextCompiler) throws(TemplateErrors) {
        var compiler = ContentCompiler(defaults: content.defaults, texts)
        self.content = compiler.compile(content)
        self.texts = try CompiledTexts(compiler)
    }

    /// Compiles a content without variants.
    ///
    /// - Parameter schema: the app's attributes and their types.
    package init(_ content: MessageCenterContent, schema: [String: AttributeType]) throws(TemplateErrors) {
        try self.init(content, texts: TextCompiler(schema: schema))
    }

    /// The variables that the texts use, each once, in the order in which ``render(_:)`` takes the values.
    package var variables: [TemplateVariable] { texts.variables }

    /// Whether recipients get different texts. A text can differ without a variable's value, by sections for recipients
    /// who lack one.
    package var isTemplated: Bool { !texts.isEmpty }

    /// Whether the rich content differs by recipient.
    package var hasTemplatedRichHTML: Bool { content.richHtml.flatMap(CompiledTexts.gap) != nil }

    /// The content for one recipient.
    ///
    /// - Parameter values: in the order of ``variables``. Nil where the recipient has none.
    package func render(_ values: [String?]) throws(RenderError) -> MessageCenterContent {
        guard isTemplated else { return content }
        let rendered = try texts.render(values)
        return content.replacingTexts { text in CompiledTexts.gap(in: text).map { rendered[$0] } ?? text }
    }
}
