import BelfryModel
import BelfryServerModel
import Foundation

/// A payload as bytes with placeholders, for all push services.
///
/// JSON is encoded once per campaign, with a marker for each placeholder, and split there. A recipient costs one array
/// and a few copies.
struct PayloadTemplate: Sendable {
    /// How often a value is escaped: once in a JSON string, twice in a JSON string inside a JSON string.
    struct Escaping: Sendable {
        /// For a placeholder with a plain marker.
        let plain: Int
        /// For a placeholder whose marker went through ``PayloadTemplate/nested(_:)``.
        let nested: Int

        static let json = Escaping(plain: 1, nested: 2)
        /// For counting the characters that a reader of the JSON gets.
        static let counted = Escaping(plain: 0, nested: 1)
    }

    /// A placeholder and its position.
    private struct Piece: Sendable {
        /// The number of literal bytes before it.
        let place: Int
        let gap: PayloadPlaceholder
        let escapes: Int
    }

    private let pieces: [Piece]
    /// The bytes before, between and after the placeholders: one array, so that using a part needs no reference
    /// counting.
    private let literals: [UInt8]

    init(_ bytes: [UInt8], escaping: Escaping = .json) {
        var pieces: [Piece] = []
        var literals: [UInt8] = []
        var start = bytes.startIndex
        var place = bytes.startIndex
        while let marker = Marker.next(in: bytes, from: place) {
            let gap =
                marker.gap.isNumber ? Self.withQuotes(marker.start..<marker.end, in: bytes) : marker.start..<marker.end
            place = gap.upperBound
            literals += bytes[start..<gap.lowerBound]
            let escapes = marker.isNested ? escaping.nested : escaping.plain
            pieces.append(Piece(place: literals.count, gap: marker.gap, escapes: escapes))
            start = gap.upperBound
        }
        self.pieces = pieces
        self.literals = literals + bytes[start...]
    }

    /// The range of a JSON string with its quotes. Inside another string, backslashes precede the quotes. Without
    /// quotes around it, the range itself.
    private static func withQuotes(_ string: Range<Int>, in bytes: [UInt8]) -> Range<Int> {
        let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
        guard string.lowerBound > 0, bytes[string.lowerBound - 1] == quote else { return string }
        var start = string.lowerBound - 1
        while start > 0, bytes[start - 1] == backslash { start -= 1 }
        var end = string.upperBound
        while end < bytes.count, bytes[end] == backslash { end += 1 }
        guard end < bytes.count, bytes[end] == quote else { return string }
        return start..<(end + 1)
    }

    /// JSON as a string inside another JSON text: the values of its placeholders are escaped once more.
    static func nested(_ json: [UInt8]) -> String {
        var bytes = json
        for index in bytes.indices.dropLast(2) where Marker.opens(bytes, at: index) {
            bytes[index + 2] = Marker.nestedLast
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func fill(_ filling: PayloadFilling, atMost limit: Int) throws(PushRequestError) -> [UInt8] {
        var bytes: [UInt8] = []
        // Most texts need no escape; for one that does, the array grows.
        bytes.reserveCapacity(
            filling.texts.reduce(literals.count + 128 + filling.pushToken.utf8.count) {
                $0 + $1.utf8.count
            })
        var place = 0
        for piece in pieces {
            append(place..<piece.place, to: &bytes)
            place = piece.place
            guard let text = filling.text(for: piece.gap) else { throw .contentNotEncodable }
            JSONEscape.append(text, times: piece.escapes, to: &bytes)
        }
        append(place..<literals.count, to: &bytes)
        guard bytes.count <= limit else { throw .payloadTooLarge(bytes: bytes.count) }
        return bytes
    }

    private func append(_ part: Range<Int>, to bytes: inout [UInt8]) {
        literals.withUnsafeBufferPointer { bytes.append(contentsOf: $0[part]) }
    }

    /// The number of bytes that ``fill(_:atMost:)`` makes. A missing text counts as empty.
    func size(_ filling: PayloadFilling) -> Int {
        pieces.reduce(literals.count) { size, piece in
            size + JSONEscape.size(filling.text(for: piece.gap) ?? "", times: piece.escapes)
        }
    }
}

/// The marker of a placeholder, found in bytes.
private struct Marker {
    /// U+FDD2 begins a marker inside nested JSON, U+FDD0 elsewhere: only the last byte differs.
    static let nestedLast: UInt8 = 0x92
    /// The maximum length of a name in bytes: the digits of a number.
    private static let maximumName = 20

    let start: Int
    let end: Int
    let gap: PayloadPlaceholder
    let isNested: Bool

    static func opens(_ bytes: [UInt8], at index: Int) -> Bool {
        bytes[index] == TextPlaceholder.opening[0] && bytes[index + 1] == TextPlaceholder.opening[1]
            && bytes[index + 2] == TextPlaceholder.opening[2]
    }

    static func next(in bytes: [UInt8], from start: Int) -> Marker? {
        bytes.indices[start...].dropLast(2).lazy.compactMap { Marker(bytes, at: $0) }.first
    }

    /// Nil for anything but a complete marker with a known name: such bytes stay as they are.
    private init?(_ bytes: [UInt8], at start: Int) {
        guard bytes[start] == TextPlaceholder.opening[0] else { return nil }
        isNested = bytes[start + 1] == TextPlaceholder.opening[1] && bytes[start + 2] == Self.nestedLast
        guard isNested || Self.opens(bytes, at: start) else { return nil }
        let rest = bytes[(start + TextPlaceholder.opening.count)...]
        guard
            let closing = rest.prefix(Self.maximumName + TextPlaceholder.closing.count).firstRange(
                of: TextPlaceholder.closing),
            let gap = PayloadPlaceholder(name: String(decoding: rest[..<closing.lowerBound], as: UTF8.self))
        else { return nil }
        self.start = start
        self.gap = gap
        end = closing.upperBound
    }
}
