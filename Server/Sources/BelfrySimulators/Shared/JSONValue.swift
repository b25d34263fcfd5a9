/// A JSON value. Numbers are kept as they were written.
enum JSONValue: Sendable, Equatable {
    case object([JSONMember])
    case array([JSONValue])
    case string(String)
    case number(String)
    case bool(Bool)
    case null

    /// Nil if the bytes are not one JSON object (RFC 8259).
    static func object(from bytes: [UInt8]) -> [JSONMember]? {
        var scanner = JSONScanner(bytes)
        var members: [JSONMember] = []
        let isObject = scanner.document { key, scanner in
            JSONMember.append(key, &scanner, to: &members)
        }
        return isObject ? members : nil
    }

    static func read(_ scanner: inout JSONScanner) -> JSONValue? {
        let start = scanner.position
        switch scanner.next {
        case UInt8(ascii: "{"):
            var members: [JSONMember] = []
            let isGood = scanner.object { key, scanner in JSONMember.append(key, &scanner, to: &members) }
            return isGood ? .object(members) : nil
        case UInt8(ascii: "["):
            var elements: [JSONValue] = []
            let isGood = scanner.array { scanner in
                guard let element = read(&scanner) else { return false }
                elements.append(element)
                return true
            }
            return isGood ? .array(elements) : nil
        case UInt8(ascii: "\""):
            return scanner.string().map { .string(scanner.resolved($0)) }
        default:
            guard scanner.value() else { return nil }
            let word = String(decoding: scanner.bytes[start..<scanner.position], as: UTF8.self)
            return switch word {
            case "true": .bool(true)
            case "false": .bool(false)
            case "null": .null
            default: .number(word)
            }
        }
    }

    /// The string, or the number as text, at the end of a path of names. A string on the path that contains an object
    /// is parsed: some services carry only strings.
    func text(at path: ArraySlice<String>) -> String? {
        guard let name = path.first else {
            return switch self {
            case .string(let text), .number(let text): text
            default: nil
            }
        }
        let members: [JSONMember]? =
            switch self {
            case .object(let members): members
            case .string(let text): JSONValue.object(from: Array(text.utf8))
            default: nil
            }
        return members?[name]?.text(at: path.dropFirst())
    }
}

extension JSONValue {
    /// The whole number, if it is 0 or more.
    var count: Int? {
        guard case .number(let text) = self, let count = Int(text), count >= 0 else { return nil }
        return count
    }
}

/// One name and value of an object.
struct JSONMember: Sendable, Equatable {
    var name: String
    var value: JSONValue

    static func append(_ key: Range<Int>, _ scanner: inout JSONScanner, to members: inout [JSONMember]) -> Bool {
        let name = scanner.resolved(key)
        guard let value = JSONValue.read(&scanner) else { return false }
        members.append(JSONMember(name: name, value: value))
        return true
    }
}

extension [JSONMember] {
    subscript(_ name: String) -> JSONValue? {
        first { $0.name == name }?.value
    }
}
