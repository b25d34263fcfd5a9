import BelfryModel

/// The texts of one content that differ by recipient, in the order of their gaps' numbers.
struct CompiledTexts: Sendable {
    /// What the texts ask of a recipient, each once.
    let variables: [TemplateVariable]

    private let texts: [ContentText]
    /// By the numbers of the variables.
    private let defaults: [String?]

    /// - Parameter compiler: has compiled a content without finding a fault.
    init(_ compiler: ContentCompiler) {
        variables = compiler.variables
        texts = compiler.texts
        defaults = compiler.variables.map { compiler.defaults[$0] }
    }

    var isEmpty: Bool { texts.isEmpty }

    /// One text for each gap.
    ///
    /// - Parameter values: in the order of ``variables``; nil where the recipient has none.
    func render(_ values: [String?]) throws(RenderFault) -> [String] {
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

    /// The shortest that the text of a gap can become.
    func least(_ gap: Int) -> String {
        texts[gap].template.leastText
    }

    /// The number of the gap that a text consists of.
    static func gap(in text: String) -> Int? {
        // No other text begins so, and one may be long: only its beginning is looked at.
        guard text.utf8.starts(with: TextGap.opening) else { return nil }
        return WholeNumber.read(text.unicodeScalars.dropFirst().dropLast().map(String.init).joined())
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
