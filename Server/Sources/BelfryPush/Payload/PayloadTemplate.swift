import BelfryModel
import BelfryServerModel
import Foundation

/// A payload as bytes with gaps, for all push services alike.
///
/// JSON is encoded once per campaign, with a marker wherever a recipient's own text comes in, and cut there; a
/// recipient costs one array and a few copies.
struct PayloadTemplate: Sendable {
    /// How often what fills a gap is escaped: once in a JSON string, twice in a JSON string inside a JSON string.
    struct Escaping: Sendable {
        /// Of a gap marked as it is.
        let plain: Int
        /// Of a gap whose marker went through ``PayloadTemplate/nested(_:)``.
        let nested: Int

        static let json = Escaping(plain: 1, nested: 2)
        /// For counting the characters that a reader of the JSON gets.
        static let counted = Escaping(plain: 0, nested: 1)
    }

    /// A gap, and where it is.
    private struct Piece: Sendable {
        /// As many of the literal bytes stand before it.
        let place: Int
        let gap: PayloadPlaceholder
        let escapes: Int
    }

    private let pieces: [Piece]
    /// What stands before, between and behind the gaps: one array, so that no piece is counted as it is used.
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

    /// A string of JSON from its first quote to its last, as it stands there: inside another string, backslashes
    /// precede them. Without quotes around it, what it is.
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

    /// JSON that becomes a string of another JSON: what fills its gaps is escaped once more.
    static func nested(_ json: [UInt8]) -> String {
        var bytes = json
        for index in bytes.indices.dropLast(2) where Marker.opens(bytes, at: index) {
            bytes[index + 2] = Marker.nestedLast
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    func fill(_ filling: PayloadFilling, atMost limit: Int) throws(PushRequestError) -> [UInt8] {
        var bytes: [UInt8] = []
        // Most texts need no escape; where one does, the array grows.
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

    /// The bytes that ``fill(_:atMost:)`` makes; a text that is not there counts as empty.
    func size(_ filling: PayloadFilling) -> Int {
        pieces.reduce(literals.count) { size, piece in
            size + JSONEscape.size(filling.text(for: piece.gap) ?? "", times: piece.escapes)
        }
    }
}

/// A gap's marker as it stands in bytes.
private struct Marker {
    /// U+FDD2 begins a marker inside a nested JSON where U+FDD0 does elsewhere: only the last byte differs.
    static let nestedLast: UInt8 = 0x92
    /// Bytes of a name, at most: the digits of a number.
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

    /// Nil for anything but a whole marker with a name that is known: such bytes stay as they are.
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
