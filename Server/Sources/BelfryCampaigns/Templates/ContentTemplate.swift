import BelfryModel
import BelfryServerModel

/// One variant of a content, compiled once, so that a recipient costs only its values and texts (CAMP-4).
package struct ContentTemplate: Sendable {
    /// The content. Where a text differs by recipient, it is a ``TextPlaceholder`` marker and nothing else.
    package let content: PushContent

    private let texts: CompiledTexts

    /// - Parameters:
    ///   - content: one variant (``PushContent/variant(_:)``). Its own `variants` are ignored.
    ///   - texts: shared by all variants.
    package init(_ content: PushContent, texts: TextCompiler) throws(TemplateErrors) {
        var compiler = ContentCompiler(defaults: content.defaults, texts)
        self.content = compiler.compile(content)
        self.texts = try CompiledTexts(compiler)
    }

    /// Compiles a content without variants.
    ///
    /// - Parameter schema: the app's attributes and their types.
    package init(_ content: PushContent, schema: [String: AttributeType]) throws(TemplateErrors) {
        try self.init(content, texts: TextCompiler(schema: schema))
    }

    /// The variables that the texts use, each once, in the order in which ``render(_:)`` takes the values. Empty when
    /// every recipient gets the same texts.
    package var variables: [TemplateVariable] { texts.variables }

    /// The texts for one recipient, one for each placeholder, in the order of the placeholders' numbers.
    ///
    /// - Parameter values: in the order of ``variables``. Nil where the recipient has none.
    package func render(_ values: [String?]) throws(RenderError) -> [String] {
        try texts.render(values)
    }

    /// The content with the shortest texts that it can have. If this does not fit into a push, no recipient's content
    /// fits.
    package var shortest: PushContent {
        content.replacingTexts { text in CompiledTexts.gap(in: text).map(texts.least) ?? text }
    }

    /// The content for one recipient, for a preview.
    package func content(for values: [String?]) throws(RenderError) -> PushContent {
        let rendered = try render(values)
        return content.replacingTexts { text in CompiledTexts.gap(in: text).map { rendered[$0] } ?? text }
    }
}
