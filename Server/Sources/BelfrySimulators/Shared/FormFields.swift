/// The fields of an `application/x-www-form-urlencoded` body.
struct FormFields: Sendable, Equatable {
    private let values: [String: String]

    /// If a name occurs twice, the first field counts. Parts that are not pairs are skipped.
    init(_ body: [UInt8]) {
        var values: [String: String] = [:]
        for pair in body.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { continue }
            let name = Self.plain(parts[0])
            if values[name] == nil { values[name] = Self.plain(parts[1]) }
        }
        self.values = values
    }

    subscript(_ name: String) -> String? { values[name] }

    /// Removes the percent-encoding of a path segment or any other text.
    static func decoded(_ text: String) -> String { plain(Array(text.utf8)[...]) }

    private static func plain(_ text: ArraySlice<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2).compactMap { Hexadecimal.value(of: $0) }
            if byte == UInt8(ascii: "%"), digits.count == 2 {
                bytes.append(UInt8(digits[0] << 4 | digits[1]))
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
