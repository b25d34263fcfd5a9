import BelfryModel
import BelfryWire
import Foundation

@testable import BelfryAPI
@testable import BelfryPush

/// JSON that is written without an encoder reads back as the same values, and contains no unescaped delimiter (SEC-7).
enum JSONWritingTarget {
    static func run(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        var writer = JSONWriter()
        writer.string(text)
        try check(writer.bytes, says: text)

        for times in 1...2 {
            var escaped: [UInt8] = []
            JSONEscape.append(text, times: times, to: &escaped)
            try expect(
                escaped.count == JSONEscape.size(text, times: times), "the size of an escaped text is known before")
        }
        var escaped: [UInt8] = [UInt8(ascii: "\"")]
        JSONEscape.append(text, to: &escaped)
        escaped.append(UInt8(ascii: "\""))
        try check(escaped, says: text)
        try number(text)
    }

    private static func check(_ json: [UInt8], says text: String) throws {
        try expect(json.dropFirst().dropLast().allSatisfy { $0 >= 0x20 }, "no control character stands as itself")
        guard var reader = try? JSONReader(json), let read = try? reader.string(), (try? reader.end()) != nil else {
            throw Finding("what was written is one string")
        }
        try expect(read.utf8.elementsEqual(text.utf8), "what was written reads back as itself")
        let decoded = try? JSONDecoder().decode(String.self, from: Data(json))
        try expect(decoded?.utf8.elementsEqual(text.utf8) == true, "so does a decoder")
    }

    private static func number(_ text: String) throws {
        guard let number = DecimalText.number(text), number.isFinite else { return }
        var writer = JSONWriter()
        writer.number(number)
        var reader = try JSONReader(writer.bytes)
        try expect(try reader.optionalAttributeValue() == .number(number), "a number reads back as itself: \(number)")
    }
}
