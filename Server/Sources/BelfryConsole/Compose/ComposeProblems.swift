import BelfryModel
import BelfryServices

/// What is wrong with a form, by the name of the field at which it is said.
struct ComposeProblems: Error, Hashable, Sendable {
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

    var isEmpty: Bool { sentences.isEmpty && others.isEmpty }
    var count: Int { sentences.count + others.count }

    subscript(_ field: String) -> String? { sentences[field] }

    /// The first thing that is wrong with a field is enough.
    mutating func add(_ field: String, _ sentence: String) {
        if sentences[field] == nil { sentences[field] = sentence }
    }

    mutating func add(_ more: ComposeProblems) {
        for (field, sentence) in more.sentences { add(field, sentence) }
        others += more.others
    }

    func refuse() throws(ComposeProblems) {
        if !isEmpty { throw self }
    }
}

extension ComposeProblems {
    /// What the services refuse, each at the field of the form that it is about. Nil for what is no matter of a form.
    ///
    /// - Parameter field: where the form asks for what the API calls so.
    init?(_ error: ServiceError, field: (String) -> String?) {
        self.init()
        switch error {
        case .invalid(let name, let error): place(field(name), error.message)
        case .invalidFields(let first, let rest):
            for fault in [first] + rest { place(field(fault.field), fault.error.message) }
        default: return nil
        }
    }

    private mutating func place(_ field: String?, _ message: String) {
        if let field {
            add(field, message)
        } else {
            others.append(message)
        }
    }
}
