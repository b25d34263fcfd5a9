import BelfryPush

/// A statement of ours as words, names and what stands in parentheses (FLEET-5).
///
/// It reads SQL as the repositories write it: its words are in capitals, names are not. Whatever else it meets it
/// refuses, so that nothing goes by unread.
struct StatementTree: Hashable, Sendable {
    indirect enum Node: Hashable, Sendable {
        /// A word of SQL.
        case word(String)
        /// Of a table or a column, or a star, with what stands before its points.
        case name([String])
        case call(String, [Node])
        case group([Node])
        /// What stands between `CASE` and `END`.
        case choice([Node])
        /// An argument, a number or a text.
        case value
        case symbol(String)
    }

    enum Problem: Error, Hashable {
        /// A text, a parenthesis or a `CASE` does not end.
        case open
        /// A parenthesis or an `END` ends nothing.
        case closed
    }

    let nodes: [Node]

    init(_ statement: String) throws(Problem) {
        var reader = StatementReader(statement)
        nodes = try reader.nodes(until: .statement)
    }
}

extension StatementTree.Node {
    func isWord(_ words: String...) -> Bool {
        isWord(words)
    }

    func isWord(_ words: [String]) -> Bool {
        guard case .word(let word) = self else { return false }
        return words.contains(word)
    }

    static let comma = StatementTree.Node.symbol(",")
}

private struct StatementReader {
    typealias Node = StatementTree.Node
    typealias Problem = StatementTree.Problem

    enum End {
        case statement
        case parenthesis
        case choice
    }

    /// Those of several characters, the longer ones first.
    private static let symbols = ["->>", "->", "<=", ">=", "<>", "!=", "||", "::"].map { Array($0.utf8) }

    private static let blanks = Array(" \n\t".utf8)
    private static let underscore = UInt8(ascii: "_")

    private let bytes: [UInt8]
    private var position = 0

    init(_ statement: String) {
        bytes = Array(statement.utf8)
    }

    mutating func nodes(until end: End) throws(Problem) -> [Node] {
        var nodes: [Node] = []
        while let byte = nextByte() {
            switch byte {
            case UInt8(ascii: "'"):
                _ = try quoted()
                nodes.append(.value)
            case UInt8(ascii: "("):
                position += 1
                nodes.append(.group(try self.nodes(until: .parenthesis)))
            case UInt8(ascii: ")"):
                guard end == .parenthesis else { throw .closed }
                position += 1
                return nodes
            case UInt8(ascii: "?"):
                position += 1
                nodes.append(.value)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                while position < bytes.count, isOfName(bytes[position]) || bytes[position] == UInt8(ascii: ".") {
                    position += 1
                }
                nodes.append(.value)
            case UInt8(ascii: "\""):
                nodes.append(try name(beginning: quoted()))
            case let byte where isOfName(byte):
                let word = self.word()
                let isCapital = word.utf8.contains(where: \.isASCIIUppercase)
                guard isCapital, !word.utf8.contains(where: \.isASCIILowercase) else {
                    nodes.append(try name(beginning: word))
                    continue
                }
                if word == "END" {
                    guard end == .choice else { throw .closed }
                    return nodes
                }
                nodes.append(try word == "CASE" ? .choice(self.nodes(until: .choice)) : .word(word))
            default:
                nodes.append(.symbol(symbol()))
            }
        }
        guard end == .statement else { throw .open }
        return nodes
    }

    /// The byte that stands next, blanks left out; nil at the end.
    private mutating func nextByte() -> UInt8? {
        while position < bytes.count, Self.blanks.contains(bytes[position]) { position += 1 }
        return position < bytes.count ? bytes[position] : nil
    }

    /// What stands between quotes. Two in a row are one of the text.
    private mutating func quoted() throws(Problem) -> String {
        let quote = bytes[position]
        let start = position + 1
        while true {
            guard let end = bytes[(position + 1)...].firstIndex(of: quote) else { throw .open }
            position = end + 1
            if position < bytes.count, bytes[position] == quote { continue }
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
    }

    private mutating func word() -> String {
        let start = position
        while position < bytes.count, isOfName(bytes[position]) { position += 1 }
        return String(decoding: bytes[start..<position], as: UTF8.self)
    }

    private mutating func name(beginning first: String) throws(Problem) -> Node {
        var parts = [first]
        while position + 1 < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            switch bytes[position] {
            case UInt8(ascii: "*"):
                position += 1
                return .name(parts + ["*"])
            case UInt8(ascii: "\""): parts.append(try quoted())
            default: parts.append(word())
            }
        }
        guard nextByte() == UInt8(ascii: "(") else { return .name(parts) }
        position += 1
        return .call(parts.joined(separator: "."), try nodes(until: .parenthesis))
    }

    private mutating func symbol() -> String {
        let rest = bytes[position...]
        let symbol = Self.symbols.first { rest.starts(with: $0) } ?? [bytes[position]]
        position += symbol.count
        return String(decoding: symbol, as: UTF8.self)
    }

    private func isOfName(_ byte: UInt8) -> Bool {
        byte.isASCIIAlphanumeric || byte == Self.underscore
    }
}
