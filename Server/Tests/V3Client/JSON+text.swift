import Foundation

extension JSON {
    /// Compact as on Android, or as Apple's serialisation prints: two blanks a level, a blank before and after each
    /// colon, an empty line in what is empty. Both escape slashes.
    package func printed(pretty: Bool, depth: Int = 0) -> String {
        switch self {
        case .object(let members):
            let colon = pretty ? " : " : ":"
            let parts = members.sorted { $0.key < $1.key }.map { key, value in
                Self.quoted(key) + colon + value.printed(pretty: pretty, depth: depth + 1)
            }
            return Self.enclosed(parts, "{", "}", pretty: pretty, depth: depth)
        case .list(let items):
            let parts = items.map { $0.printed(pretty: pretty, depth: depth + 1) }
            return Self.enclosed(parts, "[", "]", pretty: pretty, depth: depth)
        case .text(let text): return Self.quoted(text)
        case .integer(let integer): return "\(integer)"
        case .number(let number): return "\(number)"
        case .flag(let flag): return "\(flag)"
        case .null: return "null"
        }
    }

    /// For people: lines, and slashes as they are.
    var readable: String { printed(pretty: true).replacing("\\/", with: "/") }

    private static func enclosed(
        _ parts: [String], _ opening: String, _ closing: String, pretty: Bool, depth: Int
    ) -> String {
        guard pretty else { return opening + parts.joined(separator: ",") + closing }
        let indent = String(repeating: "  ", count: depth)
        let lines = parts.map { "\(indent)  \($0)" }.joined(separator: ",\n")
        return "\(opening)\n\(lines)\n\(indent)\(closing)"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\", "/":
                quoted += "\\" + String(scalar)
            case "\u{0}"..."\u{1f}":
                quoted += String(format: "\\u%04x", scalar.value)
            default:
                quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
