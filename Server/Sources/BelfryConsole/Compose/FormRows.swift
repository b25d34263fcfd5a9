import BelfryModel

/// Rows of a form: fields that occur several times. The values at the same place of each field form a row.
struct FormRows: Sendable {
    /// One row, with its place in the form.
    struct Row: Hashable, Sendable {
        let place: Int
        let values: [String: String]

        subscript(_ name: String) -> String { values[name] ?? "" }

        /// Whether the field's value is what the form showed, byte for byte. Always false for a new row, which showed
        /// nothing.
        func says(_ name: String, _ shown: String?) -> Bool { shown?.isExactly(self[name]) ?? false }
    }

    let names: [String]
    /// A row is used when at least one of these fields is not blank.
    let decisive: [String]
    let maximum: Int

    func used(_ fields: FormFields) -> [Row] {
        all(fields).filter { row in decisive.contains { !row[$0].showsNothing } }
    }

    /// All rows, including the unused ones.
    func all(_ fields: FormFields) -> [Row] {
        let count = names.map { fields.all($0).count }.max() ?? 0
        return (0..<min(count, maximum)).map { place in
            let values = names.map { name in
                let all = fields.all(name)
                return (name, ComposePart.read(place < all.count ? all[place] : "", name))
            }
            return Row(place: place, values: Dictionary(values) { first, _ in first })
        }
    }

    func isSame(_ one: FormFields, _ other: FormFields) -> Bool {
        used(one).elementsEqual(used(other)) { $0.values.isExactly($1.values) }
    }

    /// The values of a row as a browser sends them back.
    func sent(_ values: [String: String]) -> [String: String] {
        Dictionary(names.map { ($0, ComposePart.read(values[$0] ?? "", $0)) }) { first, _ in first }
    }

    /// The field values for these rows.
    func values(_ rows: [[String: String]]) -> ComposePart.Values {
        Dictionary(names.map { name in (name, rows.map { $0[name] ?? "" }) }) { first, _ in first }
    }

    /// The field of the used row with this index, as the API counts: `buttonText.2`.
    func field(_ name: String, index: Int, _ fields: FormFields) -> String? {
        let rows = used(fields)
        return rows.indices.contains(index) ? "\(name).\(rows[index].place)" : nil
    }

    /// The index in an API name such as `push.buttons[2].text`, after a prefix.
    static func index(in name: String, after prefix: String) -> (index: Int, rest: String)? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = name.utf8.dropFirst(prefix.utf8.count)
        guard rest.first == UInt8(ascii: "[") else { return nil }
        let digits = rest.dropFirst().prefix { $0 != UInt8(ascii: "]") }
        guard let index: Int = WholeNumber.read(String(decoding: digits, as: UTF8.self)) else { return nil }
        let after = rest.dropFirst(digits.count + 2).drop { $0 == UInt8(ascii: ".") }
        return (index, String(decoding: after, as: UTF8.self))
    }

    /// The key in an API name such as `push.variants.de.title`, after a prefix.
    static func key(in name: String, after prefix: String) -> (key: String, rest: String)? {
        guard name.utf8.starts(with: "\(prefix).".utf8) else { return nil }
        let rest = name.utf8.dropFirst(prefix.utf8.count + 1)
        let key = rest.prefix { $0 != UInt8(ascii: ".") }
        let after = rest.dropFirst(key.count + 1)
        return (String(decoding: key, as: UTF8.self), String(decoding: after, as: UTF8.self))
    }
}
