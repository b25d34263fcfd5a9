import BelfryModel
import BelfryPush
import BelfryServerModel
import BelfryStore
import Foundation

/// Finds people in one database snapshot. Each kind of search uses an index.
struct PeopleFinder {
    /// The most contact fields in which a text is looked up.
    static let maximumFields = 20

    let connection: any SQLConnection
    let app: AppRecord
    /// The text in Unicode's composed form, in which keys are stored.
    let text: String
    let limit: Int

    func find(_ kind: PeopleSearchKind, name: String, cursor: String?) throws -> PeopleFinding {
        switch kind {
        case .key: try byKey(cursor)
        case .field: try byField(name)
        case .party: try byParty(cursor)
        case .device: try byDevice(cursor)
        case .token: try byToken(cursor)
        // A search by attribute is an audience query and runs separately.
        case .attribute: PeopleFinding(kind: .attribute, sentence: "People with an attribute")
        }
    }

    /// The people that the text names by a key, a contact field or a party identifier.
    func named() throws -> [PeopleFinding] {
        var findings = try [PeopleSearchKind.key, .party].map { try find($0, name: "", cursor: nil) }
        // An empty text lists all people, so it is not looked up in each contact field.
        if !text.isEmpty, app.settings.contactField != nil {
            for field in (app.settings.contactFields ?? []).prefix(Self.maximumFields) {
                findings.insert(try find(.field, name: field, cursor: nil), at: 1)
            }
        }
        return findings
    }

    /// The people that the text names, ordered by how well it names them: those with this key or former key, then those
    /// with this value of a contact field or a party identifier, then those whose key begins with the text.
    func bestNamed() throws -> [PeopleFinding.Person] {
        let findings = try named()
        let byKey = findings.filter { $0.kind == .key }.flatMap(\.people)
        let others = findings.filter { $0.kind != .key }.flatMap(\.people)
        let isWhole = { (person: PeopleFinding.Person) in
            person.formerKey != nil || person.contact.key.utf8.elementsEqual(text.utf8)
        }
        return byKey.filter(isWhole) + others + byKey.filter { !isWhole($0) }
    }

    private var quoted: String { "'\(text)'" }

    /// The contact with this former key, followed by the contacts whose key begins with the text, in the order of their
    /// keys.
    private func byKey(_ cursor: String?) throws -> PeopleFinding {
        var finding = PeopleFinding(
            kind: .key,
            sentence: text.isEmpty
                ? "Contacts by their keys" : "Contacts whose key is or was \(quoted), or begins with it"
        )
        if cursor == nil, !text.isEmpty, let held = try connection.contacts.holder(of: text, app: app.id),
            held.isAlias
        {
            finding.people.append(PeopleFinding.Person(contact: held.contact, formerKey: text))
        }
        let found = try connection.contacts.list(
            app: app.id, prefix: text, after: cursor.map(DirectoryQueries.key), limit: limit
        )
        finding.people += found.contacts.map { PeopleFinding.Person(contact: $0, formerKey: nil) }
        if found.hasMore, let last = found.contacts.last {
            finding.cursor = Base64URL.encode(Array(last.key.utf8))
        }
        return finding
    }

    private func byField(_ field: String) throws -> PeopleFinding {
        var finding = PeopleFinding(
            kind: .field, sentence: "The contact whose field '\(String(field.prefix(128)))' is \(quoted)"
        )
        // A text that cannot be a key names nobody.
        guard !field.isEmpty, let value = try? ContactKey(text) else { return finding }
        // If the app has no contact field of its own, the value alone is the key, regardless of the field (ID-3).
        let own = app.settings.contactField ?? field
        let name: ContactName = own.utf8.elementsEqual(field.utf8) ? .plain(value) : .field(field, value)
        guard let key = try? name.key(), let contact = try connection.contacts.find(app: app.id, key: key) else {
            return finding
        }
        let isPresent = contact.key.utf8.elementsEqual(key.utf8)
        finding.people = [PeopleFinding.Person(contact: contact, formerKey: isPresent ? nil : key)]
        return finding
    }

    private func byParty(_ cursor: String?) throws -> PeopleFinding {
        var finding = PeopleFinding(
            kind: .party, sentence: "People whose party identifier has the number \(quoted), or had it"
        )
        guard let number = try? PartyIdentifier.part(text, "The number") else { return finding }
        let page = try connection.contacts.list(
            app: app.id, party: PartySearch(number: number), before: cursor.map(Self.number), limit: limit
        )
        finding.people = page.contacts.map { PeopleFinding.Person(contact: $0, formerKey: nil) }
        finding.cursor = page.next.map { String($0) }
        return finding
    }

    private func byDevice(_ cursor: String?) throws -> PeopleFinding {
        let finding = PeopleFinding(kind: .device, sentence: "Installations with the device id \(quoted)")
        guard let client = try? DeviceID(text) else { return finding }
        return try devices(.client(client), finding, cursor)
    }

    private func byToken(_ cursor: String?) throws -> PeopleFinding {
        // The sentence does not repeat the token: whoever can read a token can send with it (SEC-3).
        let finding = PeopleFinding(kind: .token, sentence: "Installations with this push token")
        guard !text.isEmpty else { return finding }
        return try devices(.pushToken(text), finding, cursor)
    }

    private func devices(
        _ search: DeviceSearch, _ finding: PeopleFinding, _ cursor: String?
    ) throws -> PeopleFinding {
        let page = try ListedDevice.page(
            of: search, app: app.id, before: cursor.map(Self.number), limit: limit, in: connection
        )
        var result = finding
        result.devices = page.devices
        result.cursor = page.next.map { String($0) }
        return result
    }

    static func number(_ cursor: String) throws(ServiceError) -> Int64 {
        guard let number: Int64 = WholeNumber.read(cursor) else {
            throw .invalid("cursor", "invalidCursor", "Use the cursor of an earlier response.")
        }
        return number
    }
}
