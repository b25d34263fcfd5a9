import Foundation

/// JSON objects that came from outside: the decoder sees them only when the scanner has found nothing wrong with them.
enum ReceivedJSON {
    /// Bytes. What is said to a simulator has a hundredth of it.
    static let maximumBytes = 1_048_576

    /// Throws a `DecodingError`, for the whole when it is no JSON object of at most ``maximumBytes``.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        var scanner = JSONScanner(bytes)
        guard bytes.count <= maximumBytes, scanner.document({ _, scanner in scanner.value() }) else {
            let what = "The body is no JSON object of at most \(maximumBytes) bytes."
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: what))
        }
        return try JSONDecoder().decode(type, from: Data(bytes))
    }
}

/// JSON for answers: members in the same order each time.
enum SimulatorJSONText {
    static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only structures of texts and numbers are given, and those can always be encoded.
        guard let data = try? encoder.encode(value) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
