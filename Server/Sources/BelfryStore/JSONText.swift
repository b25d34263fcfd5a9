import BelfryModel
import Foundation

/// JSON as the store keeps it: text with sorted keys, so that equal values are equal texts.
package enum JSONText {
    package static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Bytes of a text: nothing that is taken in or made of it comes near.
    private static let maximumBytes = 67_108_864

    /// What stands in a row came from outside once, and whoever may write to the database may have put it there.
    package static func decode<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try CheckedJSON.decode(
            type, from: Data(text.utf8), maximumBytes: maximumBytes, maximumDepth: JSONGrammar.deepest
        )
    }
}
