import BelfryModel

/// One variant of a content, compiled once; a recipient costs its values and its texts (CAMP-4).
public struct ContentTemplate: Sendable {
    /// The content; where a text differs by recipient stands its ``TextGap`` marker and nothing else.
    public let content: PushContent

    private let texts: CompiledTexts

    /// - Parameters:
    ///   - content: one variant (``PushContent/variant(_:)``); its own `variants` are not looked at.
    ///   - schema: the app's attributes and their types.
    public init(_ content: PushContent, schema: [String: AttributeType]) throws(TemplateFaults) {
        var compiler = ContentCompiler(schema: schema)
        compiler.takeDefaults(content.defaults ?? [:])
        self.content = compiler.compile(content)
        guard compiler.faults.isEmpty else { throw TemplateFaults(compiler.faults) }
        texts = CompiledTexts(compiler)
    }

    /// What the texts ask of a recipient, in the order in which ``render(_:)`` takes the values; each once. Empty when
    /// every recipient gets the same.
    public var variables: [TemplateVariable] { texts.variables }

    /// The texts for one recipient: one for each gap, in the order of the gaps' numbers.
    ///
    /// - Parameter values: in the order of ``variables``; nil where the recipient has none.
    public func render(_ values: [String?]) throws(RenderFault) -> [String] {
        try texts.render(values)
    }

    /// The content with the shortest texts that it can have: what must fit, or it fits for nobody.
    public var shortest: PushContent {
        content.replacingTexts { text in CompiledTexts.gap(in: text).map(texts.least) ?? text }
    }

    /// The content as one recipient gets it, for a preview.
    public func content(for values: [String?]) throws(RenderFault) -> PushContent {
        let rendered = try render(values)
        return content.replacingTexts { text in CompiledTexts.gap(in: text).map { rendered[$0] } ?? text }
    }
}
