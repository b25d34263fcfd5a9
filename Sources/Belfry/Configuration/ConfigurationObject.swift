import BelfryModel

/// One object of a configuration file, with case-insensitive keys. An unknown key is refused, because otherwise it
/// would be a setting that silently has no effect (REG-13).
struct ConfigurationObject<Key: CaseIterable & Hashable & RawRepresentable> where Key.RawValue == String {
    private let path: String
    private var values: [Key: ConfigurationValue] = [:]

    /// - Parameter path: the path of the object; empty for the whole file.
    /// - Throws: ``BelfryError/Code/invalidConfiguration`` for a key that is unknown or given twice.
    init(_ entries: [String: ConfigurationValue], at path: String) throws(BelfryError) {
        self.path = path
        // In order, so that the same file always has the same error.
        for (spelling, value) in entries.sorted(by: { $0.key < $1.key }) {
            guard let key = Key.allCases.first(where: { $0.rawValue.lowercased() == spelling.lowercased() }) else {
                throw BelfryError(.invalidConfiguration, Self.advice(about: spelling), field: field(spelling))
            }
            guard values.updateValue(value, forKey: key) == nil else {
                throw invalid(key, "It is given twice, with different upper and lower case.")
            }
        }
    }

    private static func advice(about spelling: String) -> String {
        let known = Key.allCases.map(\.rawValue)
        let vendor = Key.self == ConfigurationKey.self ? VendorKey(spelling: spelling) : nil
        let advice =
            NearestKey.find(spelling, in: known).map { "Did you mean '\($0)'?" } ?? vendor?.advice
            ?? "Known keys: \(known.joined(separator: ", "))."
        return "'\(spelling.prefix(bytes: NearestKey.maximumBytes))' is not a key of a configuration. \(advice)"
    }

    private func field(_ key: String) -> String {
        path.isEmpty ? key : "\(path).\(key)"
    }

    /// An error of one field.
    func invalid(_ key: Key, _ message: String) -> BelfryError {
        BelfryError(.invalidConfiguration, message, field: field(key.rawValue))
    }

    /// The error of a field of this object, with its whole path.
    func located(_ error: BelfryError) -> BelfryError {
        BelfryError(error.code, error.message, field: error.field.map(field))
    }
}

extension ConfigurationObject {
    func text(_ key: Key) throws(BelfryError) -> String? {
        guard let value = values[key] else { return nil }
        guard case .text(let text) = value else { throw wrong(key, value, expected: "A text") }
        return text
    }

    func required(_ key: Key) throws(BelfryError) -> String {
        guard let text = try text(key) else { throw invalid(key, "It is required, but missing.") }
        return text
    }

    func read(_ key: Key, into flag: inout Bool) throws(BelfryError) {
        guard let value = values[key] else { return }
        guard case .flag(let given) = value else { throw wrong(key, value, expected: "true or false") }
        flag = given
    }

    func read(_ key: Key, into number: inout Double, in range: ClosedRange<Double>) throws(BelfryError) {
        guard let value = values[key] else { return }
        guard case .number(let given) = value else {
            throw wrong(key, value, expected: "A number, \(ConfigurationLimits.text(range)),")
        }
        try ConfigurationLimits.check(given, in: range, field: field(key.rawValue))
        number = given
    }

    func read(_ key: Key, into number: inout Int, in range: ClosedRange<Int>) throws(BelfryError) {
        guard let value = values[key] else { return }
        guard case .number(let given) = value else {
            throw wrong(key, value, expected: "A whole number, \(ConfigurationLimits.text(range)),")
        }
        guard let whole = Int(exactly: given) else {
            throw invalid(key, "A whole number, \(ConfigurationLimits.text(range)), is expected.")
        }
        try ConfigurationLimits.check(whole, in: range, field: field(key.rawValue))
        number = whole
    }

    /// Reads a number that has no default.
    func read(_ key: Key, into number: inout Int?, in range: ClosedRange<Int>) throws(BelfryError) {
        guard values[key] != nil else { return }
        var given = range.lowerBound
        try read(key, into: &given, in: range)
        number = given
    }

    func read(_ key: Key, into texts: inout Set<String>) throws(BelfryError) {
        guard let value = values[key] else { return }
        guard case .list(let elements) = value else { throw wrong(key, value, expected: "An array of texts") }
        var given: Set<String> = []
        for element in elements {
            guard case .text(let text) = element else { throw wrong(key, element, expected: "A text") }
            given.insert(text)
        }
        texts = given
    }

    func object<Inner: CaseIterable & Hashable & RawRepresentable>(
        _ key: Key,
        of keys: Inner.Type
    ) throws(BelfryError) -> ConfigurationObject<Inner>? where Inner.RawValue == String {
        guard let value = values[key] else { return nil }
        guard case .object(let entries) = value else { throw wrong(key, value, expected: "An object") }
        return try ConfigurationObject<Inner>(entries, at: field(key.rawValue))
    }

    private func wrong(_ key: Key, _ value: ConfigurationValue, expected: String) -> BelfryError {
        invalid(key, "\(expected) is expected; this is \(value.kind).")
    }
}
