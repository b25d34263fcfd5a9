/// The members of one object of a message, by Google's names in either spelling. If a member occurs twice, the last
/// counts.
struct FCMFields {
    let members: [JSONMember]

    init(_ members: [JSONMember]) {
        self.members = members
    }

    subscript(_ name: String) -> JSONValue? {
        members.last { $0.name == name || FCMMessageForm.isSpelling($0.name, of: name) }?.value
    }

    /// Whether the member has a value other than null.
    func has(_ name: String) -> Bool {
        self[name].map { $0 != .null } ?? false
    }

    func text(_ name: String) -> String? {
        guard case .string(let text)? = self[name] else { return nil }
        return text
    }

    /// The object with this name; empty if it is absent.
    func object(_ name: String) -> FCMFields {
        guard case .object(let members)? = self[name] else { return FCMFields([]) }
        return FCMFields(members)
    }

    /// The bytes of the names and of their texts.
    var size: Int {
        members.reduce(0) { sum, member in sum + member.name.utf8.count + Self.size(member.value) }
    }

    private static func size(_ value: JSONValue) -> Int {
        switch value {
        case .string(let text), .number(let text): text.utf8.count
        case .bool: 1
        case .null: 0
        case .array(let elements): elements.reduce(0) { $0 + size($1) }
        case .object(let members): FCMFields(members).size
        }
    }
}
