import BelfryModel
import BelfryServerModel
import Foundation

/// Compiles texts, each once for each purpose: a campaign's variants share most of their texts with its content, and
/// one may be long (SEC-8).
///
/// It is a class so that all variants of a campaign share it; it exists only while they are compiled. It must not be
/// created in a transaction that writes; `Scripts/check-statements` checks that.
package final class TextCompiler {
    /// A text, compared by its bytes: two texts that Unicode calls equal are different texts.
    private struct Source: Hashable {
        let text: String
        let purpose: TextTemplate.Purpose

        static func == (left: Source, right: Source) -> Bool {
            var (first, second) = (left.text, right.text)
            return left.purpose == right.purpose
                && first.withUTF8 { first in
                    second.withUTF8 { second in
                        guard first.count == second.count else { return false }
                        guard let one = first.baseAddress, let other = second.baseAddress else { return true }
                        return memcmp(one, other, first.count) == 0
                    }
                }
        }

        func hash(into hasher: inout Hasher) {
            var text = text
            text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
            hasher.combine(purpose)
        }
    }

    /// The app's attributes and their types.
    package var schema: [String: AttributeType] { attributes.schema }

    private let attributes: KnownAttributes
    private var texts: [Source: CompiledText] = [:]
    private var addresses: [Source: ValueError?] = [:]
    private var defaults: (named: [String: String], compiled: CompiledDefaults)?

    package init(schema: [String: AttributeType]) {
        attributes = KnownAttributes(schema)
    }

    /// The number of texts that were compiled.
    package var count: Int { texts.count }

    func compile(_ text: String, _ purpose: TextTemplate.Purpose) -> CompiledText {
        let source = Source(text: text, purpose: purpose)
        if let known = texts[source] { return known }
        let compiled = CompiledText(text, purpose, attributes)
        texts[source] = compiled
        return compiled
    }

    /// Compiles default values. The variants of a content have the same ones.
    func compile(_ named: [String: String]) -> CompiledDefaults {
        if let defaults, defaults.named == named { return defaults.compiled }
        let compiled = CompiledDefaults(named, attributes)
        defaults = (named, compiled)
        return compiled
    }

    /// The error of a text that is a whole address.
    func error(ofAddress text: String, _ rule: LinkRule) -> ValueError? {
        let source = Source(text: text, purpose: .url(rule))
        if let known = addresses[source] { return known }
        let error = rule.error(of: text)
        addresses[source] = .some(error)
        return error
    }
}

/// A compiled text. Its variables have numbers of their own.
struct CompiledText: Sendable {
    enum Form: Sendable {
        /// A text that is the same for every recipient.
        case constant(String)
        /// A template with its variables, and the name of each as the text first writes it.
        case template(TextTemplate, [TemplateVariable], written: [String])
        case rejected(ValueError)
    }

    let form: Form
    /// The errors of its HTML.
    let htmlErrors: [ValueError]

    fileprivate init(_ text: String, _ purpose: TextTemplate.Purpose, _ attributes: KnownAttributes) {
        var errors: [ValueError] = []
        do throws(ValueError) {
            form = try Self.form(of: text, purpose, attributes, &errors)
        } catch {
            form = .rejected(error)
        }
        htmlErrors = errors
    }

    private static func form(
        of text: String, _ purpose: TextTemplate.Purpose, _ attributes: KnownAttributes,
        _ htmlErrors: inout [ValueError]
    ) throws(ValueError) -> Form {
        guard !TextPlaceholder.isUsed(in: text) else {
            throw ValueError(
                code: "invalidCharacter", message: "A text cannot contain the noncharacters U+FDD0 and U+FDD1."
            )
        }
        // Addresses and HTML are checked even without tags. An empty text is checked elsewhere.
        if !purpose.isAddress, purpose.htmlPolicy == nil, !TemplateTagReader.mayHoldTags(text) {
            return .constant(text)
        }
        let nodes: [TemplateNode]
        do {
            nodes = try TemplateParser.parse(text, maximumBytes: purpose.maximumBytes)
        } catch {
            throw error.error
        }
        if let policy = purpose.htmlPolicy {
            htmlErrors = ComposedHTMLCheck.errors(of: nodes, source: text, policy: policy)
        }
        var variables = VariableNumbers()
        var written: [String] = []
        let template = try TextTemplate(nodes, purpose) { (name) throws(ValueError) in
            let number = variables.number(of: try TemplateVariable(name, among: attributes))
            if number == written.count { written.append(name) }
            return number
        }
        guard let constant = template.constant else { return .template(template, variables.all, written: written) }
        if purpose == .plain(isNeeded: true), constant.showsNothing {
            throw ValueError(code: "blank", message: "Without its comments, the text is empty.")
        }
        return .constant(constant)
    }
}

/// The default values for variables that a recipient lacks.
struct CompiledDefaults: Sendable {
    private(set) var values: [TemplateVariable: String] = [:]
    private(set) var errors: [TemplateErrors.FieldError] = []

    fileprivate init(_ named: [String: String], _ attributes: KnownAttributes) {
        for (name, value) in named.sorted(by: { $0.key < $1.key }) {
            do throws(ValueError) {
                let variable = try TemplateVariable(name, among: attributes)
                guard values[variable] == nil else {
                    throw ValueError(code: "duplicate", message: "'\(variable)' has two defaults. Keep one.")
                }
                guard !value.isEmpty else {
                    throw ValueError(code: "blank", message: "A default cannot be empty. Leave it out instead.")
                }
                values[variable] = value
            } catch {
                errors.append(TemplateErrors.FieldError(field: "defaults.\(name.prefix(64))", error: error))
            }
        }
    }
}

/// Variables in the order of their first use, each once.
package struct VariableNumbers: Sendable {
    package private(set) var all: [TemplateVariable] = []

    private var numbers: [TemplateVariable: Int] = [:]

    package init() {}

    /// The number of a variable. A new variable gets the next number.
    package mutating func number(of variable: TemplateVariable) -> Int {
        if let number = numbers[variable] { return number }
        all.append(variable)
        numbers[variable] = all.count - 1
        return all.count - 1
    }
}
