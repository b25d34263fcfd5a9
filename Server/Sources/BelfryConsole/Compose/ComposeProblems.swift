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
    init?(_ error: ServiceError, audience: AudienceForm) {
        self.init()
        switch error {
        case .invalid(let field, let error): place(field, error.message, audience)
        case .invalidFields(let first, let rest):
            for fault in [first] + rest { place(fault.field, fault.error.message, audience) }
        default: return nil
        }
    }

    private mutating func place(_ field: String, _ message: String, _ audience: AudienceForm) {
        if let own = Self.field(of: field, audience) {
            add(own, message)
        } else {
            others.append(message)
        }
    }

    /// Where the form asks for what the API calls so.
    private static func field(of name: String, _ audience: AudienceForm) -> String? {
        let known: [(prefix: String, field: String)] = [
            ("name", "name"), ("push.title", "title"), ("push.body", "body"), ("push.action", "link"),
            ("push.imageUrl", "image"), ("push.badge", "badgeValue"), ("schedule.at", "at"),
            ("schedule.localAt", "at"), ("schedule.quietHours", "quietTo"),
        ]
        if let found = known.first(where: { name == $0.prefix || name.utf8.starts(with: "\($0.prefix).".utf8) }) {
            return found.field
        }
        guard name.utf8.starts(with: "audience".utf8) else { return nil }
        guard audience.mode == .clauses else { return audience.mode == .json ? "predicate" : "audience" }
        return clause(of: name, audience)
    }

    /// The row of `audience.all[2].value`: rows that are not used do not count there.
    private static func clause(of name: String, _ audience: AudienceForm) -> String {
        let used = audience.clauses.indices.filter { audience.clauses[$0].isUsed }
        let digits = name.utf8.drop { $0 != UInt8(ascii: "[") }.dropFirst().prefix { $0 != UInt8(ascii: "]") }
        let number: Int = WholeNumber.read(Substring(digits)) ?? 0
        return used.indices.contains(number) ? "clause\(used[number])" : "audience"
    }
}
