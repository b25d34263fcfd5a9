import BelfryModel
import BelfryWire
import Foundation

@testable import BelfryAPI
@testable import BelfryStore

/// The server's own JSON reader, compared with Foundation's.
enum JSONTarget {
    static func run(_ bytes: [UInt8]) throws {
        let isOurs = (try? JSONReader.check(bytes)) != nil
        try agreement(bytes, isOurs: isOurs)
        try values(bytes)
        try plainObject(bytes)
        try eventAttributes(bytes)
        if isOurs { _ = try? JSONInput.decode([String: AttributeValue].self, from: bytes) } else { try errors(bytes) }
    }

    /// JSON that the server's reader accepts must be readable by a decoder. The reverse is not required: Foundation
    /// also accepts a comma after the last value and a byte order mark, which RFC 8259 forbids.
    private static func agreement(_ bytes: [UInt8], isOurs: Bool) throws {
        guard isPlainUTF8(bytes), depth(bytes) < WireLimits.maximumJSONDepth else { return }
        guard isOurs else { return }
        let isFoundations = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
        // A lone surrogate and a very large number follow the grammar, but cannot be decoded to values.
        guard !bytes.contains(UInt8(ascii: "\\")), longestNumber(bytes) < 16, !hasExponent(bytes) else {
            return
        }
        try expect(isFoundations, "the reader lets through what Foundation refuses")
    }

    private static func values(_ bytes: [UInt8]) throws {
        guard var reader = try? JSONReader(bytes) else { return }
        var values: [String: AttributeValue] = [:]
        var names = 0
        do {
            try reader.object { reader, key throws(JSONError) in
                names += 1
                values[key] = try reader.optionalAttributeValue()
            }
            try reader.end()
        } catch {
            return
        }
        guard let decoded = try? CheckedJSON.decode([String: AttributeValue?].self, from: bytes) else { return }
        guard names == decoded.count else { return }
        try expect(decoded.compactMapValues { $0 } == values, "values differ from the decoder's")
    }

    private static func plainObject(_ bytes: [UInt8]) throws {
        guard var reader = try? JSONReader(bytes) else { return }
        let start = reader.index
        guard let text = reader.plainObject(maximumMembers: EventLimits.maximumAttributes) else {
            try expect(reader.bytes[start..<reader.index].allSatisfy { $0 <= 0x20 }, "nothing is read")
            return
        }
        let decoded = try? JSONDecoder().decode([String: AttributeValue].self, from: Data(text.utf8))
        try expect(decoded != nil, "a plain object is one that a decoder reads: \(text)")
        let stored = try? StoredAttributes.read(text)
        try expect(stored == decoded, "stored attributes read back as a decoder reads them: \(text)")
    }

    private static func eventAttributes(_ bytes: [UInt8]) throws {
        let stored = try? StoredAttributes.read(String(decoding: bytes, as: UTF8.self))
        guard let decoded = try? JSONText.decode([String: AttributeValue].self, String(decoding: bytes, as: UTF8.self))
        else { return }
        // If two members have the same name, a decoder may use either.
        guard stored?.count == decoded.count else { return }
        try expect(stored?.keys == decoded.keys, "stored attributes have the decoder's names")
    }

    private static func errors(_ bytes: [UInt8]) throws {
        do {
            try JSONInput.check(bytes)
            throw Finding("the reader refuses what its check takes")
        } catch let error as JSONInputError {
            try expect(!error.description.isEmpty, "an error says what is wrong")
        }
    }

    /// Foundation also reads UTF-16 and UTF-32, which it recognizes by zero bytes and byte order marks.
    private static func isPlainUTF8(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self) != nil && !bytes.contains(0)
            && !bytes.starts(with: [0xEF, 0xBB, 0xBF])
    }

    private static func depth(_ bytes: [UInt8]) -> Int {
        bytes.count { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }
    }

    /// The longest run of characters that numbers consist of.
    private static func longestNumber(_ bytes: [UInt8]) -> Int {
        bytes.split { byte in
            !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) && !"+-.eE".utf8.contains(byte)
        }
        .map(\.count).max() ?? 0
    }

    private static func hasExponent(_ bytes: [UInt8]) -> Bool {
        zip(bytes, bytes.dropFirst()).contains { first, second in
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) && second | 0x20 == UInt8(ascii: "e")
        }
    }
}
