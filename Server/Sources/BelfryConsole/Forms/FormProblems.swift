import BelfryModel
import BelfryServices

/// The errors of a form, by field name.
struct FormProblems: Error, Hashable, Sendable {
    /// The error of one part of a field.
    struct Sentence: Error {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }

    private var sentences: [String: String] = [:]
    /// Errors that belong to no field of the form.
    private(set) var others: [String] = []

    init() {}

    init(_ field: String, _ sentence: String) {
        add(field, sentence)
    }

    /// An error of the whole form.
    init(ofWhole sentence: String) {
        others = [sentence]
    }

    var isEmpty: Bool { sentences.isEmpty && others.isEmpty }
    var count: Int { sentences.count + others.count }

    subscript(_ field: String) -> String? { sentences[field] }

    /// Adds an error to a field, unless the field has one already: one is enough.
    mutating func add(_ field: String, _ sentence: String) {
        if sentences[field] == nil { sentences[field] = sentence }
    }

    mutating func add(_ more: FormProblems) {
        for (field, sentence) in more.sentences { add(field, sentence) }
        others += more.others
    }

    func reject() throws(FormProblems) {
        if !isEmpty { throw self }
    }

    /// The sentence above the form; nil where there are no errors.
    var summary: String? {
        guard !isEmpty else { return nil }
        let fields = count - others.count
        let attention =
            fields == 0 ? [] : ["\(Figures.count(fields, "field needs", "fields need")) your attention."]
        return (["Nothing was saved."] + attention + others).joined(separator: " ")
    }
}

extension FormProblems {
    /// The code of a conflict with somebody else's change. The page shows such a conflict in detail, not as one
    /// sentence.
    static let changed = "changedMeanwhile"

    /// The errors of the services, each at its field; nil for an error that belongs to no form.
    ///
    /// - Parameters:
    ///   - words: the form's words for an error; nil: those of the services.
    ///   - place: the form's field for an API name; nil: the form has none.
    init?(
        _ error: any Error, words: (_ name: String, _ code: String) -> String? = { _, _ in nil },
        place: (String) -> String?
    ) {
        if let own = error as? FormProblems {
            self = own
            return
        }
        guard let error = error as? ServiceError else { return nil }
        self.init()
        switch error {
        case .invalid(let field, let error):
            put(words(field, error.code) ?? error.message, at: place(field))
        case .invalidFields(let first, let rest):
            for error in [first] + rest {
                put(words(error.field, error.error.code) ?? error.error.message, at: place(error.field))
            }
        case .conflict(let code, let message) where code != Self.changed: others.append(message)
        default: return nil
        }
    }

    /// - Parameter fields: the names of the form's fields. An error in a part, such as `openID.jwks.keys[0]`, is shown
    ///   at the field whose name begins it; an error in a whole, such as `openID`, at the first of its fields.
    init?(_ error: any Error, fields: [String]) {
        self.init(
            error,
            place: { name in
                let found = fields.filter { name.isAPIName($0) }.max { $0.utf8.count < $1.utf8.count }
                return found ?? fields.first { $0.isAPIName(name) }
            }
        )
    }

    private mutating func put(_ message: String, at field: String?) {
        if let field {
            add(field, message)
        } else {
            others.append(message)
        }
    }
}

extension String {
    /// Whether the string is this API name, or the name of something inside it.
    func isAPIName(_ prefix: String) -> Bool {
        guard utf8.starts(with: prefix.utf8) else { return false }
        let next = utf8.dropFirst(prefix.utf8.count).first
        return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
    }
}
