import BelfryModel
import BelfryServices

/// What is wrong with a form, by the name of the field at which it is said.
struct FormProblems: Error, Hashable, Sendable {
    /// What is wrong with one part of it.
    struct Sentence: Error {
        let text: String

        init(_ text: String) {
            self.text = text
        }
    }

    private var sentences: [String: String] = [:]
    /// What belongs to no field of the form.
    private(set) var others: [String] = []

    init() {}

    init(_ field: String, _ sentence: String) {
        add(field, sentence)
    }

    /// What is wrong with the whole.
    init(ofWhole sentence: String) {
        others = [sentence]
    }

    var isEmpty: Bool { sentences.isEmpty && others.isEmpty }
    var count: Int { sentences.count + others.count }

    subscript(_ field: String) -> String? { sentences[field] }

    /// The first thing that is wrong with a field is enough.
    mutating func add(_ field: String, _ sentence: String) {
        if sentences[field] == nil { sentences[field] = sentence }
    }

    mutating func add(_ more: FormProblems) {
        for (field, sentence) in more.sentences { add(field, sentence) }
        others += more.others
    }

    func refuse() throws(FormProblems) {
        if !isEmpty { throw self }
    }

    /// The sentence above the form; nil where nothing is wrong.
    var summary: String? {
        guard !isEmpty else { return nil }
        let fields = count - others.count
        let attention =
            fields == 0 ? [] : ["\(Figures.count(fields, "field needs", "fields need")) your attention."]
        return (["Nothing was saved."] + attention + others).joined(separator: " ")
    }
}

extension FormProblems {
    /// The code of a conflict with a change of somebody else, of which the page tells more than a sentence.
    static let changed = "changedMeanwhile"

    /// What the services refuse, each at its field. Nil for what is no matter of a form.
    ///
    /// - Parameters:
    ///   - place: the field that asks for what the API calls so; nil: none does.
    ///   - words: how the form says it; nil: as the services do.
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

    /// - Parameter fields: those of the form. What the services say of a part, such as `openID.jwks.keys[0]`, stands at
    ///   the field whose name begins it; what they say of a whole, such as `openID`, at the first of its fields.
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
    /// Whether the API's name of a field is this one, or lies in it.
    func isAPIName(_ prefix: String) -> Bool {
        guard utf8.starts(with: prefix.utf8) else { return false }
        let next = utf8.dropFirst(prefix.utf8.count).first
        return next == nil || next == UInt8(ascii: ".") || next == UInt8(ascii: "[")
    }
}
