import BelfryModel
import Foundation

/// JSON as the store keeps it: with sorted keys, so that equal values are equal texts.
package enum JSONText {
    package static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// The longest text that is decoded, in bytes; no accepted or generated text is nearly as long.
    private static let maximumBytes = 67_108_864

    /// Decodes untrusted text: the value once came from outside, and anyone who may write to the database may have
    /// changed it.
    package static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try CheckedJSON.decode(
            type, from: Data(text.utf8), maximumBytes: maximumBytes, maximumDepth: JSONGrammar.deepest
        )
    }
}
