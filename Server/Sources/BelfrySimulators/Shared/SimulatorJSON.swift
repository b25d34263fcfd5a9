import Foundation

/// Decodes JSON objects from outside. The scanner checks them before the decoder reads them.
enum ReceivedJSON {
    /// The maximum size in bytes. Requests to a simulator have a hundredth of it.
    static let maximumBytes = 1_048_576

    /// Throws a `DecodingError` for the whole text if it is not a JSON object of at most ``maximumBytes``.
    static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        var scanner = JSONScanner(bytes)
        guard bytes.count <= maximumBytes, scanner.document({ _, scanner in scanner.value() }) else {
            let what = "The body is no JSON object of at most \(maximumBytes) bytes."
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: what))
        }
        return try JSONDecoder().decode(type, from: Data(bytes))
    }
}

/// Encodes responses as JSON, with members in a stable order.
enum SimulatorJSONText {
    static func encode(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only structures of texts and numbers are passed in, and those can always be encoded.
        guard let data = try? encoder.encode(value) else { return "" }
        return String(decoding: data, as: UTF8.self)
    }
}
