import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// The kinds of people search (CON-9).
package enum PeopleSearchKind: String, Hashable, Sendable, CaseIterable, Codable {
    /// A contact key, its beginning, or a former key.
    case key
    /// The value of a contact field other than the app's own.
    case field
    /// The value of a defined attribute.
    case attribute
    /// The number of a party identifier.
    case party
    /// A device id.
    case device
    /// A push token, written in full.
    case token
}

/// A search for people.
package struct PeopleSearch: Hashable, Sendable {
    package static let maximumLength = 4_096

    package var text: String
    /// The kind of search; nil for every kind that needs no name.
    package var kind: PeopleSearchKind?
    /// The name of the attribute or contact field.
    package var name: String

    package init(_ text: String, by kind: PeopleSearchKind? = nil, name: String = "") {
        self.text = text
        self.kind = kind
        self.name = name
    }

    /// The text in the composed form in which names are stored; nil if it is too long. A text that is too long is not
    /// composed (SEC-7).
    static func composed(_ text: String) -> String? {
        ComposedText.make(of: text, within: maximumLength).flatMap { $0.utf8.count <= maximumLength ? $0 : nil }
    }
}

/// The result of one kind of search.
package struct PeopleFinding: Sendable {
    package struct Person: Hashable, Sendable {
        package let contact: ContactProfile.Contact
        /// The former key that matched the search; nil if another name did.
        package let formerKey: String?
    }

    package let kind: PeopleSearchKind
    /// What was searched, as a heading for all results.
    package let sentence: String
    package var people: [Person] = []
    /// All installations with an id or a token. The caller finds out whose they are.
    package var devices: [ListedDevice] = []
    /// The cursor of the next page; nil at the end.
    package var cursor: String?

    package var isEmpty: Bool { people.isEmpty && devices.isEmpty }
}

extension PeopleFinding {
    /// A page of all people, the newest first.
    package init(newest page: ContactPage) {
        self.init(
            kind: .key, sentence: "The newest people",
            people: page.contacts.map { Person(contact: $0, formerKey: nil) }, cursor: page.next.map { String($0) }
        )
    }
}

extension DirectoryQueries {
    /// Finds people by any of their names. Each kind of search uses an index and has pages (CON-9).
    ///
    /// - Parameters:
    ///   - cursor: the cursor of one kind of search; nil for its first page, and for a search of all kinds.
    /// - Returns: for one kind of search its result, even if empty; for all kinds those that found something.
    package func people(
        _ search: PeopleSearch, app: AppRecord, cursor: String? = nil, limit: Int
    ) async throws -> [PeopleFinding] {
        guard let text = PeopleSearch.composed(search.text) else {
            throw ServiceError.invalid(
                "text", "tooLong", "A search has at most \(PeopleSearch.maximumLength) bytes."
            )
        }
        guard let kind = search.kind else { return try await everywhere(text, app: app, limit: limit) }
        if kind == .attribute {
            return [try await byAttribute(search.name, text, app: app, cursor: cursor, limit: limit)]
        }
        return try await database.read { connection in
            let finder = PeopleFinder(connection: connection, app: app, text: text, limit: limit)
            return [try finder.find(kind, name: search.name, cursor: cursor)]
        }
    }

    private func everywhere(_ text: String, app: AppRecord, limit: Int) async throws -> [PeopleFinding] {
        try await database.read { connection in
            let finder = PeopleFinder(connection: connection, app: app, text: text, limit: limit)
            let devices = try [PeopleSearchKind.device, .token].map { try finder.find($0, name: "", cursor: nil) }
            return try (finder.named() + devices).filter { !$0.isEmpty }
        }
    }

    /// The contacts that a text names in any way, each once. Those whose key only begins with the text come last
    /// (CON-2).
    func contacts(named text: String, app: AppRecord, limit: Int) async throws -> [ContactProfile.Contact] {
        guard let text = PeopleSearch.composed(text) else { return [] }
        return try await database.read { connection in
            let finder = PeopleFinder(connection: connection, app: app, text: text, limit: limit)
            var found: Set<Int64> = []
            let contacts = try finder.bestNamed().map(\.contact)
            return Array(contacts.filter { found.insert($0.id).inserted }.prefix(limit))
        }
    }

    /// People who have a device and this value of an attribute, the newest first.
    private func byAttribute(
        _ name: String, _ text: String, app: AppRecord, cursor: String?, limit: Int
    ) async throws -> PeopleFinding {
        let start = try cursor.map(PeopleFinder.number) ?? .max
        do {
            return try await database.ask(.counting(app: app.id)) { asked in
                let question = try AttributeQuestion(name, is: text, app: app.id, in: asked.connection)
                let numbers = try asked.contacts(
                    app: app.id, audience: question.audience,
                    candidates: asked.candidates(question.candidates), before: start, limit: limit + 1
                )
                var people: [PeopleFinding.Person] = []
                var (bytes, last): (Int, Int64?) = (0, nil)
                for number in numbers.prefix(limit) where bytes < ContactRepository.maximumPageBytes {
                    last = number
                    guard let contact = try asked.connection.contacts.find(id: number) else { continue }
                    bytes += contact.attributes.bytes
                    people.append(PeopleFinding.Person(contact: contact, formerKey: nil))
                }
                return PeopleFinding(
                    kind: .attribute, sentence: "People with a device whose attribute '\(name)' is '\(text)'",
                    people: people, cursor: last == numbers.last ? nil : last.map { String($0) }
                )
            }
        } catch let error where error.meansOverload {
            throw ServiceError.ofAudience(error)
        }
    }
}

/// The query for the people with a value of an attribute.
private struct AttributeQuestion {
    let audience: AudiencePredicate
    let candidates: AudienceCandidates?

    init(_ name: String, is text: String, app: Int64, in connection: any SQLConnection) throws {
        guard let type = try connection.attributes.columns(app: app).schema[name] else {
            throw ServiceError.invalid(
                "name", "unknownAttribute",
                "There is no attribute '\(String(name.prefix(128)))'. Choose one that the app has defined."
            )
        }
        let condition = Condition.attribute(name, .equal(try Self.value(text, of: name, type)))
        // The result does not depend on the time.
        let sql = try AudienceCompiler(connection: connection, app: app).sql(now: Date(timeIntervalSince1970: 0))
        if let error = sql.errors(of: condition).first {
            throw ServiceError.invalid(field: "text", error.error)
        }
        audience = try sql.compile(condition)
        candidates = sql.candidates(condition)
    }

    /// The value that a text stands for, by the attribute's type.
    private static func value(
        _ text: String, of name: String, _ type: AttributeType
    ) throws(ServiceError) -> AttributeValue {
        switch type {
        case .string, .date: return .string(text)
        case .number:
            guard let number = AttributeValue.string(text).numberRead else {
                throw .invalid("text", "typeMismatch", "'\(name)' is a number: write one such as 3 or 4.5.")
            }
            return .number(number)
        case .boolean:
            switch text {
            case "true", "yes": return .boolean(true)
            case "false", "no": return .boolean(false)
            default: throw .invalid("text", "typeMismatch", "'\(name)' is true or false: write one of the two.")
            }
        }
    }
}
