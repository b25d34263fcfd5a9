import BelfryModel
import BelfryServices

/// What is wrong with a form, by the name of the field at which it is said.
struct FormProblems: Error, Hashable, Sendable {
    private var sentences: [String: String] = [:]
    /// What belongs to no field of the form.
    private(set) var others: [String] = []

    init() {}

    init(_ field: String, _ sentence: String) {
        add(field, sentence)
    }

    var isEmpty: Bool { sentences.isEmpty && others.isEmpty }

    subscript(_ field: String) -> String? { sentences[field] }

    /// The first thing that is wrong with a field is enough.
    mutating func add(_ field: String, _ sentence: String) {
        if sentences[field] == nil { sentences[field] = sentence }
    }

    func refuse() throws(FormProblems) {
        if !isEmpty { throw self }
    }

    /// The sentence above the form.
    var summary: String {
        (["Nothing was saved."] + (sentences.isEmpty ? [] : ["See what is marked below."]) + others)
            .joined(separator: " ")
    }
}

extension FormProblems {
    /// What the services refuse, each at its field. Nil for what is no matter of a form.
    ///
    /// - Parameter fields: those of the form. What the services say of a part, such as `openID.jwks.keys[0]`, stands at
    ///   the field whose name begins it; what they say of a whole, such as `openID`, at the first of its fields.
    init?(_ error: any Error, fields: [String]) {
        if let own = error as? FormProblems {
            self = own
            return
        }
        guard let error = error as? ServiceError else { return nil }
        self.init()
        switch error {
        case .invalid(let field, let error): place(field, error.message, fields)
        case .invalidFields(let first, let rest):
            for fault in [first] + rest { place(fault.field, fault.error.message, fields) }
        case .conflict(let code, let message) where code != FormProblems.changed: others.append(message)
        default: return nil
        }
    }

    /// The code of a conflict with a change of somebody else, of which the page tells more than a sentence.
    static let changed = "changedMeanwhile"

    private mutating func place(_ name: String, _ message: String, _ fields: [String]) {
        let found = fields.filter { Self.begins(name, with: $0) }.max { $0.utf8.count < $1.utf8.count }
        if let place = found ?? fields.first(where: { Self.begins($0, with: name) }) {
            add(place, message)
        } else {
            others.append(message)
        }
    }

    private static func begins(_ name: String, with field: String) -> Bool {
        guard name.utf8.starts(with: field.utf8) else { return false }
        return name.utf8.dropFirst(field.utf8.count).first.map {
            $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "[")
        } ?? true
    }
}
