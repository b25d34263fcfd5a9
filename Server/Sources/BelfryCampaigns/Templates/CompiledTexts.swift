import BelfryModel
import BelfryServerModel

/// The texts of one content that differ by recipient, in the order of their gaps' numbers.
struct CompiledTexts: Sendable {
    /// What the texts ask of a recipient, each once.
    let variables: [TemplateVariable]

    private let texts: [ContentText]

    /// - Parameter compiler: has compiled a content. Throws the errors that it has found.
    init(_ compiler: ContentCompiler) throws(TemplateErrors) {
        guard compiler.errors.isEmpty else { throw TemplateErrors(compiler.errors) }
        variables = compiler.variables.all
        texts = compiler.texts
    }

    var isEmpty: Bool { texts.isEmpty }

    /// One text for each gap.
    ///
    /// - Parameter values: in the order of ``variables``; nil where the recipient has none.
    func render(_ values: [String?]) throws(RenderError) -> [String] {
        precondition(values.count == variables.count, "as many values as there are variables")
        var rendered: [String] = []
        rendered.reserveCapacity(texts.count)
        for text in texts {
            do {
                rendered.append(try text.template.render(text.own(values), defaults: text.defaults))
            } catch {
                throw text.renderError(error)
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
        guard text.utf8.starts(with: TextPlaceholder.opening) else { return nil }
        return WholeNumber.read(text.unicodeScalars.dropFirst().dropLast().map(String.init).joined())
    }
}

/// A text of a content that differs by recipient.
struct ContentText: Hashable, Sendable {
    let field: String
    let template: TextTemplate
    /// What the text asks of a recipient, by the numbers in its template.
    let variables: [TemplateVariable]
    /// What stands in for that, likewise.
    let defaults: [String?]
    /// Where its variables stand among those of the content; nil: in the same order, before all others.
    let places: [Int]?

    /// - Parameter values: of the content's variables.
    fileprivate func own(_ values: [String?]) -> [String?] {
        guard let places else { return values }
        return places.map { values[$0] }
    }

    fileprivate func renderError(_ problem: RenderProblem) -> RenderError {
        switch problem {
        case .noValue(let index):
            let name = variables[index].description
            return RenderError(
                field: field, variable: name, sentence: "There is no value for {{\(name)}}, and no default."
            )
        case .blank:
            return RenderError(field: field, variable: "", sentence: "The text is empty.")
        case .tooLong(let limit):
            return RenderError(
                field: field, variable: "",
                sentence: "With the recipient's values, the text has more than \(limit) bytes. Use fewer of them."
            )
        case .badAddress(let error, let index):
            let name = index.map { variables[$0].description } ?? ""
            return RenderError(
                field: field, variable: name,
                sentence: "\(index == nil ? "The address" : "{{\(name)}}") is not a valid address. \(error.message)"
            )
        }
    }
}
