import BelfryModel
import BelfryServerModel
import Foundation

/// The texts of form fields that hold several values.
enum ComposeText {
    /// Formatted JSON for people to read.
    static func json(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    /// Default values for people who lack an attribute, one on each line: `city = your town`.
    static func defaults(
        _ name: String, api: String, _ get: @escaping @Sendable (CampaignDraft) -> [String: String]?,
        _ set: @escaping @Sendable (inout CampaignDraft, [String: String]?) -> Void
    ) -> ComposePart {
        ComposePart([name], api: [(api, name)]) { draft, _ in
            [
                name: [
                    (get(draft) ?? [:]).sorted { $0.key < $1.key }.map { line($0.key, $0.value) }.joined(
                        separator: "\n")
                ]
            ]
        } write: { fields, draft, _, problems in
            let base = get(draft) ?? [:]
            // Keyed by bytes: texts that look alike may differ (CON-5).
            var before: [[UInt8]: (name: String, value: String)] = [:]
            for (key, value) in base {
                before[Array(ComposePart.read(line(key, value), name).utf8)] = (key, value)
            }
            var made: [String: String] = [:]
            for text in lines(ComposePart.read(fields[name], name)) {
                if let entry = before[Array(text.utf8)] {
                    made[entry.name] = entry.value
                } else if let entry = pair(text) {
                    made[entry.name] = entry.value
                } else {
                    problems.add(name, "Write a line for each value, such as: city = your town")
                }
            }
            set(&draft, made.isEmpty ? nil : made)
        }
    }

    /// The lines of a text that are not blank.
    static func lines(_ text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) }
            .filter { !$0.showsNothing }
    }

    private static func line(_ name: String, _ value: String) -> String {
        "\(name) = \(escaped(value))"
    }

    /// Parses a line as a name and a value; nil where it has no name or no `=`.
    static func pair(_ line: String) -> (name: String, value: String)? {
        let parts = line.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        let (name, value) = (trimmed(parts[0]), trimmed(parts[1]))
        return name.isEmpty || value.isEmpty ? nil : (name, unescaped(value))
    }

    static func trimmed(_ bytes: Substring.UTF8View) -> String {
        let blank = UInt8(ascii: " ")
        var text = Array(bytes.drop { $0 == blank })
        while text.last == blank { text.removeLast() }
        return String(decoding: text, as: UTF8.self)
    }

    /// A value on one line: a line end is `\n`, a backslash two.
    static func escaped(_ value: String) -> String {
        var bytes: [UInt8] = []
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += [byte, byte]
            case UInt8(ascii: "\n"): bytes += Array("\\n".utf8)
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    static func unescaped(_ value: String) -> String {
        var bytes: [UInt8] = []
        var rest = Substring(value).utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let next = rest.popFirst() else {
                bytes.append(byte)
                continue
            }
            if next == UInt8(ascii: "n") {
                bytes.append(UInt8(ascii: "\n"))
            } else {
                bytes += next == byte ? [byte] : [byte, next]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a row of languages names a language that no row before it names. Otherwise adds an error.
    static func isNewLocale(
        _ row: FormRows.Row, in known: some Collection<String>, _ problems: inout FormProblems,
        name: String = "variantLocale"
    ) -> Bool {
        let locale = row[name]
        if locale.showsNothing {
            problems.add("\(name).\(row.place)", "Enter the language of these texts, such as 'de' or 'fr-CA'.")
            return false
        }
        if known.contains(locale) {
            problems.add("\(name).\(row.place)", "There are texts for this language already. Keep one of the two.")
            return false
        }
        return true
    }

    /// The form's field for an API name such as `push.variants.de.title`.
    static func variantField(
        _ name: String, after prefix: String, _ rows: FormRows, _ fields: FormFields, _ known: [String: String],
        locale: String = "variantLocale"
    ) -> String? {
        guard let found = FormRows.key(in: name, after: prefix) else {
            return name == prefix ? "\(locale).0" : nil
        }
        // Errors of the services cut a language after 64 characters.
        func isNamed(_ row: FormRows.Row) -> Bool {
            String(row[locale].prefix(64)).utf8.elementsEqual(found.key.utf8)
        }
        guard let row = rows.used(fields).first(where: isNamed) else { return nil }
        let field = known.first { found.rest.isAPIName($0.key) }?.value ?? locale
        return "\(field).\(row.place)"
    }
}
