import BelfryModel

/// What one variant of a campaign keeps in a message centre, compiled once (CAMP-4).
public struct MessageCenterTemplate: Sendable {
    /// The content; where a text differs by recipient stands its ``TextGap`` marker and nothing else.
    let content: MessageCenterContent

    private let texts: CompiledTexts

    /// - Parameters:
    ///   - content: one variant (``MessageCenterContent/variant(_:)``); its own `variants` are not looked at.
    ///   - schema: the app's attributes and their types.
    public init(_ content: MessageCenterContent, schema: [String: AttributeType]) throws(TemplateFaults) {
        var compiler = ContentCompiler(schema: schema)
        compiler.takeDefaults(content.defaults ?? [:])
        self.content = compiler.compile(content)
        guard compiler.faults.isEmpty else { throw TemplateFaults(compiler.faults) }
        texts = CompiledTexts(compiler)
    }

    /// What the texts ask of a recipient, in the order in which ``render(_:)`` takes the values; each once.
    public var variables: [TemplateVariable] { texts.variables }

    /// Whether recipients get different texts. One can differ without a variable's value: by what it lacks.
    public var isTemplated: Bool { !texts.isEmpty }

    /// Whether the rich content is among the texts that differ.
    public var hasTemplatedRichHTML: Bool { content.richHtml.flatMap(CompiledTexts.gap) != nil }

    /// The content as one recipient gets it.
    ///
    /// - Parameter values: in the order of ``variables``; nil where the recipient has none.
    public func render(_ values: [String?]) throws(RenderFault) -> MessageCenterContent {
        guard isTemplated else { return content }
        let rendered = try texts.render(values)
        return content.replacingTexts { text in CompiledTexts.gap(in: text).map { rendered[$0] } ?? text }
    }
}
