import BelfryModel
import BelfryServerModel

/// The texts of a content that differ by recipient, in the order of their placeholders' numbers.
struct CompiledTexts: Sendable {
    /// The most bytes of all texts of a content with a recipient's values. Each text has its own limit, but a content
    /// may have many texts (SEC-2).
    static let maximumRenderedBytes = 4 * 1_048_576

    /// The variables that the texts use, each once.
    let variables: [TemplateVariable]

    private let texts: [ContentText]

    /// - Parameter compiler: a compiler that has compiled a content. Throws the errors that it has found.
    init(_ compiler: ContentCompiler) throws(TemplateErrors) {
        guard compiler.errors.isEmpty else { throw TemplateErrors(compiler.errors) }
        variables = compiler.variables.all
        texts = compiler.texts
    }

    var isEmpty: Bool { texts.isEmpty }

    /// Renders one text for each placeholder.
    ///
    /// - Parameter values: in the order of ``variables``. Nil where the recipient has none.
    func render(_ values: [String?]) throws(RenderError) -> [String] {
        precondition(values.count == variables.count, "as many values as there are variables")
        var rendered: [String] = []
        rendered.reserveCapacity(texts.count)
        var bytes = 0
        for text in texts {
            let own: String
            do {
                own = try text.template.render(text.own(values), defaults: text.defaults)
            } catch {
                throw text.renderError(error)
            }
            bytes += own.utf8.count
            guard bytes <= Self.maximumRenderedBytes else { throw text.tooMuchError }
            rendered.append(own)
        }
        return rendered
    }

    /// The shortest possible text of a placeholder.
    func least(_ gap: Int) -> String {
        texts[gap].template.leastText
    }

    /// The number of the placeholder that a text consists of.
    static func gap(in text: String) -> Int? {
        // Only placeholders begin like this, and a text may be long, so only its beginning is examined.
        guard text.utf8.starts(with: TextPlaceholder.opening) else { return nil }
        return WholeNumber.read(text.unicodeScalars.dropFirst().dropLast().map(String.init).joined())
    }
}

/// A text of a content that differs by recipient.
struct ContentText: Hashable, Sendable {
    let field: String
    let template: TextTemplate
    /// The variables of the text, by their numbers in the template.
    let variables: [TemplateVariable]
    /// The variables' names as the text writes them, by the same numbers.
    let written: [String]
    /// The variables' default values, by the same numbers.
    let defaults: [String?]
    /// The positions of the text's variables among those of the content. Nil if they are the first ones, in the same
    /// order.
    let places: [Int]?

    /// The values of this text's variables.
    ///
    /// - Parameter values: the values of all variables of the content.
    fileprivate func own(_ values: [String?]) -> [String?] {
        guard let places else { return values }
        return places.map { values[$0] }
    }

    /// The error when this text brings the content over its limit.
    fileprivate var tooMuchError: RenderError {
        RenderError(
            field: field, variable: "",
            sentence: """
                With the recipient's values, the texts have more than \(CompiledTexts.maximumRenderedBytes) bytes \
                together. Use fewer of them.
                """
        )
    }

    fileprivate func renderError(_ problem: RenderProblem) -> RenderError {
        switch problem {
        case .noValue(let index):
            return RenderError(
                field: field, variable: variables[index].description,
                sentence: "There is no value for {{\(written[index])}}, and no default."
            )
        case .blank:
            return RenderError(field: field, variable: "", sentence: "The text is empty.")
        case .tooLong(let limit):
            return RenderError(
                field: field, variable: "",
                sentence: "With the recipient's values, the text has more than \(limit) bytes. Use fewer of them."
            )
        case .badAddress(let error, let index):
            let subject = index.map { "{{\(written[$0])}}" } ?? "The address"
            return RenderError(
                field: field, variable: index.map { variables[$0].description } ?? "",
                sentence: "\(subject) is not a valid address. \(error.message)"
            )
        }
    }
}
