/// A text as it stands in HTML, between tags and in quoted attributes. All of it goes by bytes or scalars, never by
/// characters, which a mark beside a quote or a `<` would make others (SEC-7).
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

    /// The text with another name in place of each `http-equiv`, in whatever case.
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

    /// Whether a text begins with these letters of ASCII, given in lower case, in whatever case.
    static func begins(_ text: String, with front: String) -> Bool { begins(text.utf8, with: front.utf8) }

    private static func begins(_ text: some Sequence<UInt8>, with front: some Collection<UInt8>) -> Bool {
        text.prefix(front.count).map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }.elementsEqual(front)
    }
}
