import BelfryModel

/// What one variant of an in-app message says and does, compiled once (CAMP-4).
public struct InAppTemplate: Sendable {
    /// The content; where a text differs by recipient stands its ``TextGap`` marker and nothing else.
    let content: InAppContent

    private let texts: CompiledTexts

    /// - Parameters:
    ///   - draft: one variant (``InAppDraft/variant(_:)``); its own `variants` are not looked at.
    ///   - schema: the app's attributes and their types.
    ///   - allowsScripts: the app's setting `inAppScripts`. What was saved before it was taken back is refused, too.
    public init(
        _ draft: InAppDraft, schema: [String: AttributeType], allowsScripts: Bool
    ) throws(TemplateFaults) {
        var compiler = ContentCompiler(schema: schema)
        compiler.takeDefaults(draft.defaults ?? [:])
        content = compiler.compile(draft.content, .inApp(allowsScripts: allowsScripts))
        guard compiler.faults.isEmpty else { throw TemplateFaults(compiler.faults) }
        texts = CompiledTexts(compiler)
    }

    /// What the texts ask of a recipient, in the order in which ``render(_:)`` takes the values; each once.
    public var variables: [TemplateVariable] { texts.variables }

    /// Whether recipients get different texts. One can differ without a variable's value: by what it lacks.
    public var isTemplated: Bool { !texts.isEmpty }

    /// The content as one recipient gets it. A title or a body of which nothing is left is left out.
    ///
    /// - Parameter values: in the order of ``variables``; nil where the recipient has none.
    public func render(_ values: [String?]) throws(RenderFault) -> InAppContent {
        guard isTemplated else { return content }
        let rendered = try texts.render(values)
        var made = content.replacingTexts { text in CompiledTexts.gap(in: text).map { rendered[$0] } ?? text }
        made.title = made.title.flatMap(Self.unlessBlank)
        made.body = made.body.flatMap(Self.unlessBlank)
        guard made.hasText || made.imageUrl != nil || !content.hasText else {
            throw RenderFault(
                field: content.body == nil ? "title" : "body", variable: "", sentence: "Nothing is left of the text."
            )
        }
        return made
    }

    private static func unlessBlank(_ text: String) -> String? {
        text.showsNothing ? nil : text
    }
}

extension InAppContent {
    fileprivate var hasText: Bool { title != nil || body != nil }
}
