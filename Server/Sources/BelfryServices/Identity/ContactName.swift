import BelfryModel

/// The name of a contact. Each kind of name is a name space of its own: the same value in two name spaces is two people
/// (ID-3, ID-9).
package enum ContactName: Hashable, Sendable {
    /// The value of the app's own contact field.
    case plain(ContactKey)
    /// The value of another contact field.
    case field(String, ContactKey)
    case party(PartyIdentifier)

    /// The longest key in bytes: an index entry cannot be longer.
    static let maximumBytes = NamingRule.maximumBytes

    /// The contact's key, made of name space and value. A plain key never begins like the other kinds
    /// (``BelfryModel/ContactKey/reservedPrefixes``).
    func key() throws(ValueError) -> String {
        switch self {
        case .plain(let key): key.rawValue
        case .field(let field, let key): try Self.checked(Self.prefix(ofField: field) + key.rawValue)
        case .party(let party):
            try Self.checked(
                ContactKey.partyPrefix + Self.escaped(party.type) + ":" + Self.escaped(party.name) + ":" + party.number
            )
        }
    }

    /// The party identifier that describes a contact created with this name. Nil for other names.
    var party: PartyIdentifier? {
        guard case .party(let party) = self else { return nil }
        return party
    }

    /// Whether a contact's key is that of a field other than the app's own, with this value. A registration names no
    /// field, so it repeats the contact by the value.
    static func isField(_ contactKey: String, with value: ContactKey) -> Bool {
        guard contactKey.utf8.starts(with: ContactKey.fieldPrefix.utf8) else { return false }
        let rest = contactKey.utf8.dropFirst(ContactKey.fieldPrefix.utf8.count)
        guard let end = rest.firstIndex(of: UInt8(ascii: ":")) else { return false }
        return rest[rest.index(after: end)...].elementsEqual(value.rawValue.utf8)
    }

    /// Whether a contact is named by a party identifier. A registration does not change such a contact.
    static func isParty(_ contactKey: String) -> Bool {
        contactKey.utf8.starts(with: ContactKey.partyPrefix.utf8)
    }

    private static func prefix(ofField field: String) -> String {
        ContactKey.fieldPrefix + escaped(field) + ":"
    }

    /// Escapes a part. A colon separates the parts, so a colon inside a part must not be read as one.
    private static func escaped(_ part: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in part.unicodeScalars {
            switch scalar {
            case "%": result.append(contentsOf: "%25".unicodeScalars)
            case ":": result.append(contentsOf: "%3A".unicodeScalars)
            default: result.append(scalar)
            }
        }
        return String(result)
    }

    private static func checked(_ key: String) throws(ValueError) -> String {
        guard key.utf8.count <= maximumBytes else {
            throw ValueError(
                code: "tooLong", message: "The parts of a contact's name have at most \(maximumBytes) bytes together."
            )
        }
        return key
    }
}
