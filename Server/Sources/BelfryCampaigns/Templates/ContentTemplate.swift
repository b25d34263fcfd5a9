import BelfryModel
import BelfryServerModel

/// One variant of a content, compiled once; a recipient costs its values and its texts (CAMP-4).
package struct ContentTemplate: Sendable {
    /// The content; where a text differs by recipient stands its ``TextPlaceholder`` marker and nothing else.
    package let content: PushContent

    private let texts: CompiledTexts

    /// - Parameters:
    ///   - content: one variant (``PushContent/variant(_:)``); its own `variants` are not looked at.
    ///   - texts: of all variants.
    package init(_ content: PushContent, texts: TextCompiler) throws(TemplateErrors) {
        var compiler = ContentCompiler(defaults: content.defaults, texts)
        self.content = compiler.compile(content)
        self.texts = try CompiledTexts(compiler)
    }

    /// The same of a content without variants.
    ///
    /// - Parameter schema: the app's attributes and their types.
    package init(_ content: PushContent, schema: [String: AttributeType]) throws(TemplateErrors) {
        try self.init(content, texts: TextCompiler(schema: schema))
    }

    /// What the texts ask of a recipient, in the order in which ``render(_:)`` takes the values; each once. Empty when
    /// every recipient gets the same.
    package var variables: [TemplateVariable] { texts.variables }

    /// The texts for one recipient: one for each gap, in the order of the gaps' numbers.
    ///
    /// - Parameter values: in the order of ``variables``; nil where the recipient has none.
    package func render(_ values: [String?]) throws(RenderError) -> [String] {
        try texts.render(values)
    }

    /// The content with the shortest texts that it can have: what must fit, or it fits for nobody.
    package var shortest: PushContent {
        content.replacingTexts { text in CompiledTexts.gap(in: text).map(texts.least) ?? text }
    }

    /// The content as one recipient gets it, for a preview.
    package func content(for values: [String?]) throws(RenderError) -> PushContent {
        let rendered = try render(values)
        return content.replacingTexts { text in CompiledTexts.gap(in: text).map { rendered[$0] } ?? text }
    }
}
