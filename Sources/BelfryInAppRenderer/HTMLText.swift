/// Text in HTML, between tags and in quoted attributes. Everything works on bytes or scalars, never on characters,
/// because a combining mark next to a quote or a `<` would change those (SEC-7).
enum HTMLText {
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            // HTML has no null character.
            case "\0": escaped += "\u{FFFD}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// The text with each `http-equiv`, in any case, renamed.
    static func withoutEquivalents(_ html: String) -> String {
        let name = Array("http-equiv".utf8)
        let bytes = Array(html.utf8)
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if bytes[index] | 0x20 == name[0], begins(bytes[index...], with: name) {
                text += "data-equiv".utf8
                index += name.count
            } else {
                text.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Whether a text begins with these ASCII letters, given in lower case, ignoring case.
    static func begins(_ text: String, with front: String) -> Bool { begins(text.utf8, with: front.utf8) }

    private static func begins(_ text: some Sequence<UInt8>, with front: some Collection<UInt8>) -> Bool {
        text.prefix(front.count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.elementsEqual(front)
    }
}
