import BelfryModel

/// Reads stored attributes: flat JSON that the store itself has written.
///
/// Each registration of a new device reads them, so the usual text, without escapes, is parsed from its bytes. The
/// decoder takes ten times as long; it reads all other texts.
package enum StoredAttributes {
    package static func read(_ json: String) throws -> [String: AttributeValue] {
        var json = json
        if let attributes = json.withUTF8({ plain($0) }) { return attributes }
        return try JSONText.decode([String: AttributeValue].self, json)
    }

    /// Nil for a text with escapes, and for any text that the store would not write.
    private static func plain(_ bytes: UnsafeBufferPointer<UInt8>) -> [String: AttributeValue]? {
        guard bytes.count >= 2, bytes.first == UInt8(ascii: "{"), bytes.last == UInt8(ascii: "}"),
            !bytes.contains(UInt8(ascii: "\\"))
        else { return nil }
        var attributes: [String: AttributeValue] = [:]
        var position = 1
        while position < bytes.count - 1 {
            guard let key = text(bytes, &position), take(UInt8(ascii: ":"), bytes, &position),
                let value = value(bytes, &position)
            else { return nil }
            attributes[key] = value
            guard position == bytes.count - 1 || take(UInt8(ascii: ","), bytes, &position) else { return nil }
        }
        return attributes
    }

    private static func value(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> AttributeValue? {
        if bytes[position] == quote { return text(bytes, &position).map(AttributeValue.string) }
        let rest = bytes[position..<(bytes.count - 1)]
        let word = rest.prefix { $0 != UInt8(ascii: ",") }
        position = word.endIndex
        switch String(decoding: word, as: UTF8.self) {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case let number:
            // Swift's parser alone would accept `nan` and `0x10`, too.
            guard word.allSatisfy(isOfNumber) else { return nil }
            return Double(number).map(AttributeValue.number)
        }
    }

    private static func text(_ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> String? {
        guard take(quote, bytes, &position),
            let end = bytes[position...].firstIndex(of: quote)
        else { return nil }
        defer { position = end + 1 }
        return String(decoding: bytes[position..<end], as: UTF8.self)
    }

    private static func take(_ byte: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, _ position: inout Int) -> Bool {
        guard position < bytes.count, bytes[position] == byte else { return false }
        position += 1
        return true
    }

    private static func isOfNumber(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || ".eE+-".utf8.contains(byte)
    }

    private static let quote = UInt8(ascii: "\"")
}
