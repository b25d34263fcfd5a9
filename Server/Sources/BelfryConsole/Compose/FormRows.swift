import BelfryModel

/// Rows of a form: fields that come several times, and what stands at the same place of each belongs together.
struct FormRows: Sendable {
    /// One row, with its place in the form.
    struct Row: Hashable, Sendable {
        let place: Int
        let values: [String: String]

        subscript(_ name: String) -> String { values[name] ?? "" }

        /// Whether a field says what was shown in it, to the byte. In a new row nothing was.
        func says(_ name: String, _ shown: String?) -> Bool { shown?.isExactly(self[name]) ?? false }
    }

    let names: [String]
    /// A row is used when one of these is not empty.
    let decisive: [String]
    let maximum: Int

    func used(_ fields: FormFields) -> [Row] {
        all(fields).filter { row in decisive.contains { !row[$0].showsNothing } }
    }

    /// Also those that nobody has used.
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

    /// The fields of rows.
    func values(_ rows: [[String: String]]) -> ComposePart.Values {
        Dictionary(names.map { name in (name, rows.map { $0[name] ?? "" }) }) { first, _ in first }
    }

    /// The field of the row that the API counts as this one: `buttonText.2`.
    func field(_ name: String, index: Int, _ fields: FormFields) -> String? {
        let rows = used(fields)
        return rows.indices.contains(index) ? "\(name).\(rows[index].place)" : nil
    }

    /// The number in `push.buttons[2].text`, behind a prefix.
    static func index(in name: String, after prefix: String) -> (index: Int, rest: String)? {
        guard name.utf8.starts(with: prefix.utf8) else { return nil }
        let rest = name.utf8.dropFirst(prefix.utf8.count)
        guard rest.first == UInt8(ascii: "[") else { return nil }
        let digits = rest.dropFirst().prefix { $0 != UInt8(ascii: "]") }
        guard let index: Int = WholeNumber.read(String(decoding: digits, as: UTF8.self)) else { return nil }
        let after = rest.dropFirst(digits.count + 2).drop { $0 == UInt8(ascii: ".") }
        return (index, String(decoding: after, as: UTF8.self))
    }

    /// The key in `push.variants.de.title`, behind a prefix.
    static func key(in name: String, after prefix: String) -> (key: String, rest: String)? {
        guard name.utf8.starts(with: "\(prefix).".utf8) else { return nil }
        let rest = name.utf8.dropFirst(prefix.utf8.count + 1)
        let key = rest.prefix { $0 != UInt8(ascii: ".") }
        let after = rest.dropFirst(key.count + 1)
        return (String(decoding: key, as: UTF8.self), String(decoding: after, as: UTF8.self))
    }
}
