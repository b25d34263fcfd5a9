import BelfryModel

/// The fields of a form or query (`application/x-www-form-urlencoded`), read by bytes and within limits (SEC-2, SEC-6).
/// A field may occur several times.
struct FormFields: Hashable, Sendable {
    static let maximumFields = 2_000
    static let maximumBytes = 1 << 20

    private var values: [String: [String]] = [:]

    init() {}

    /// Takes the fields of a page, each with its values.
    init(_ values: [String: [String]]) {
        // Browsers send nothing for a field without a value.
        self.values = values.filter { !$0.value.isEmpty }
    }

    /// Returns nil for a text that is too long, or is not percent-encoded UTF-8.
    init?(_ text: some Collection<UInt8>) {
        guard text.count <= Self.maximumBytes else { return nil }
        let pairs = text.split(separator: UInt8(ascii: "&"))
        guard pairs.count <= Self.maximumFields else { return nil }
        for pair in pairs {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decoded(parts[0]),
                let value = Self.decoded(parts.count > 1 ? parts[1] : pair[pair.endIndex...])
            else { return nil }
            values[name, default: []].append(value)
        }
    }

    /// The first value of a field; empty when the field is missing.
    subscript(_ name: String) -> String { values[name]?.first ?? "" }

    func all(_ name: String) -> [String] { values[name] ?? [] }

    func contains(_ name: String) -> Bool { values[name] != nil }

    var names: some Collection<String> { values.keys }

    /// Replaces the values of a field; an empty list removes the field.
    mutating func set(_ name: String, _ all: [String]) {
        values[name] = all.isEmpty ? nil : all
    }

    private static func decoded(_ text: some Collection<UInt8>) -> String? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count)
        var rest = text[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"):
                bytes.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst(), high.isHexDigit, let low = rest.popFirst(), low.isHexDigit else {
                    return nil
                }
                bytes.append(high.hexDigitValue << 4 | low.hexDigitValue)
            default:
                bytes.append(byte)
            }
        }
        // Forms have CRLF line ends; everything else uses LF.
        bytes.removeAll { $0 == UInt8(ascii: "\r") }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { return nil }
        // A dictionary hashes a name, and the time grows with the square of consecutive combining marks (SEC-6). This
        // comes last, because removing line ends may have joined such marks.
        return StreamSafeText.make(of: text)
    }
}
