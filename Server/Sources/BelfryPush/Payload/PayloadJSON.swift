import Foundation

/// Encodes the common parts of a payload, once per campaign.
enum PayloadJSON {
    static func encode(_ value: some Encodable) throws(PushRequestError) -> [UInt8] {
        let encoder = JSONEncoder()
        // Slashes are not escaped, because each byte counts. Keys are sorted, so that equal content has equal bytes.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return Array(try encoder.encode(value))
        } catch {
            throw .contentNotEncodable
        }
    }
}

/// A key of an object whose keys the app chooses.
struct PayloadKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ text: String) {
        stringValue = text
    }

    init?(stringValue: String) {
        self.stringValue = stringValue
    }

    init?(intValue: Int) {
        nil
    }
}
