import Foundation

/// Statements that are alike but for some gaps: `SELECT … FROM devices WHERE id = ?`.
///
/// How a statement is broken into lines makes no difference.
struct StatementPattern: Hashable, CustomStringConvertible {
    /// Stands for anything.
    static let gap: Character = "…"

    let description: String
    /// What stands before, between and behind the gaps.
    private let parts: [Data]

    init(_ text: String) {
        description = text
        parts = text.split(separator: Self.gap, omittingEmptySubsequences: false).map { Self.squeezed(String($0)) }
    }

    static func == (left: StatementPattern, right: StatementPattern) -> Bool { left.parts == right.parts }

    func hash(into hasher: inout Hasher) {
        hasher.combine(parts)
    }

    /// How much of a statement it says.
    var weight: Int { parts.reduce(0) { $0 + $1.count } }

    /// Whether its statements begin with these words.
    func begins(with words: String) -> Bool {
        parts[0].prefix(words.utf8.count) == Data(words.utf8)
    }

    /// - Parameter statement: squeezed.
    func matches(_ statement: Data) -> Bool {
        guard parts.count > 1 else { return statement == parts[0] }
        let (first, last) = (parts[0], parts[parts.count - 1])
        let end = statement.count - last.count
        guard first.count <= end, statement.prefix(first.count) == first, statement.suffix(last.count) == last else {
            return false
        }
        var position = first.count
        for part in parts[1..<(parts.count - 1)] where !part.isEmpty {
            guard let place = statement.range(of: part, in: position..<end) else { return false }
            position = place.upperBound
        }
        return true
    }

    /// A statement with one blank wherever there are some, and none within the ends of parentheses.
    static func squeezed(_ text: String) -> Data {
        var squeezed: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: " "), UInt8(ascii: "\n"), UInt8(ascii: "\t"):
                if let last = squeezed.last, last != UInt8(ascii: " "), last != UInt8(ascii: "(") {
                    squeezed.append(UInt8(ascii: " "))
                }
            case UInt8(ascii: ")"):
                if squeezed.last == UInt8(ascii: " ") { squeezed.removeLast() }
                squeezed.append(byte)
            default: squeezed.append(byte)
            }
        }
        if squeezed.last == UInt8(ascii: " ") { squeezed.removeLast() }
        return Data(squeezed)
    }
}
