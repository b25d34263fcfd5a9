import BelfryModel

/// One variant of a content, compiled once; a recipient costs its values and its texts (CAMP-4).
public struct ContentTemplate: Sendable {
    /// What the texts ask of a recipient, in the order in which ``render(_:)`` takes the values; each once. Empty when
    /// every recipient gets the same.
    public let variables: [TemplateVariable]
    /// The content; where a text differs by recipient stands its ``TextGap`` marker and nothing else.
    public let content: PushContent

    private let texts: [ContentText]
    /// By the numbers of the variables.
    private let defaults: [String?]

    /// - Parameters:
    ///   - content: one variant (``PushContent/variant(_:)``); its own `variants` are not looked at.
    ///   - schema: the app's attributes and their types.
    public init(_ content: PushContent, schema: [String: AttributeType]) throws(TemplateFaults) {
        var compiler = ContentCompiler(schema: schema)
        compiler.takeDefaults(content.defaults ?? [:])
        self.content = compiler.compile(content)
        guard compiler.faults.isEmpty else { throw TemplateFaults(compiler.faults) }
        variables = compiler.variables
        texts = compiler.texts
        defaults = compiler.variables.map { compiler.defaults[$0] }
    }

    /// The texts for one recipient: one for each gap, in the order of the gaps' numbers.
    ///
    /// - Parameter values: in the order of ``variables``; nil where the recipient has none.
    public func render(_ values: [String?]) throws(RenderFault) -> [String] {
        precondition(values.count == variables.count, "as many values as there are variables")
        var rendered: [String] = []
        rendered.reserveCapacity(texts.count)
        for text in texts {
            do {
                rendered.append(try text.template.render(values, defaults: defaults))
            } catch {
                throw fault(error, in: text.field)
            }
        }
        return rendered
    }

    /// The content with the shortest texts that it can have: what must fit, or it fits for nobody.
    public var shortest: PushContent {
        content.replacingTexts { text in
            guard let index = Self.gap(in: text) else { return text }
            return texts[index].template.leastText
        }
    }

    /// The content as one recipient gets it, for a preview.
    public func content(for values: [String?]) throws(RenderFault) -> PushContent {
        let rendered = try render(values)
        return content.replacingTexts { text in Self.gap(in: text).map { rendered[$0] } ?? text }
    }

    /// The number of the gap that a text consists of.
    private static func gap(in text: String) -> Int? {
        guard TextGap.isUsed(in: text) else { return nil }
        return Int(text.unicodeScalars.dropFirst().dropLast().map(String.init).joined())
    }

    private func fault(_ problem: RenderProblem, in field: String) -> RenderFault {
        switch problem {
        case .noValue(let index):
            let name = variables[index].description
            return RenderFault(
                field: field, variable: name, sentence: "There is no value for {{\(name)}}, and no default."
            )
        case .blank:
            return RenderFault(field: field, variable: "", sentence: "Nothing is left of the text.")
        case .badAddress(let refusal, let index):
            let name = index.map { variables[$0].description } ?? ""
            return RenderFault(
                field: field, variable: name,
                sentence: "\(index == nil ? "The address" : "{{\(name)}}") is no address to open. \(refusal.message)"
            )
        }
    }
}

/// A text of a content that differs by recipient.
struct ContentText: Hashable, Sendable {
    let field: String
    let template: TextTemplate
}
