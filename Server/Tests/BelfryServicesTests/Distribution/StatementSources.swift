import Foundation

/// Whose statements are, by the source files of the server and of its tests (FLEET-5).
///
/// A recorded statement does not say who asked: tests look into tables themselves, and migrations read all rows.
struct StatementSources {
    /// Statements of these tests nobody issues.
    private static let own = "BelfryServicesTests/Distribution/"

    private let repositories: [StatementPattern]
    private let others: [StatementPattern]

    init() throws {
        var server = URL(filePath: #filePath).resolvingSymlinksInPath()
        for _ in 0..<4 { server.deleteLastPathComponent() }
        var (repositories, others): ([StatementPattern], [StatementPattern]) = ([], [])
        for folder in ["Sources", "Tests"] {
            for path in try FileManager.default.subpathsOfDirectory(atPath: server.appending(path: folder).path)
            where path.hasSuffix(".swift") && !path.hasPrefix(Self.own) {
                let text = try String(contentsOf: server.appending(path: "\(folder)/\(path)"), encoding: .utf8)
                let isOfRepositories = path.hasPrefix("BelfryStore/") && !path.hasPrefix("BelfryStore/Schema/Versions/")
                if isOfRepositories {
                    repositories += Self.statements(in: text)
                } else {
                    others += Self.statements(in: text)
                }
            }
        }
        self.repositories = repositories
        self.others = others
    }

    /// Whether a repository issues a statement: of the literals that it may be of, the one that says most of it is a
    /// repository's. One that may be of none counts as theirs.
    ///
    /// - Parameter statement: squeezed.
    func isOfRepositories(_ statement: Data) -> Bool {
        Self.weight(of: statement, in: repositories) >= Self.weight(of: statement, in: others)
    }

    private static func weight(of statement: Data, in patterns: [StatementPattern]) -> Int {
        patterns.filter { $0.matches(statement) }.map(\.weight).max() ?? 0
    }

    /// The literals of a Swift file that are statements, with a gap for each interpolation.
    static func statements(in text: String) -> [StatementPattern] {
        var reader = SwiftReader(text)
        reader.readCode()
        let patterns = reader.literals.map { StatementPattern($0) }
        return patterns.filter { pattern in
            ["SELECT", "INSERT INTO", "UPDATE", "DELETE FROM", "WITH"].contains { pattern.begins(with: $0) }
        }
    }
}

/// Finds the literals of texts in Swift.
private struct SwiftReader {
    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let newline = UInt8(ascii: "\n")
    private static let gap = Array(String(StatementPattern.gap).utf8)

    private let bytes: [UInt8]
    private var position = 0
    private(set) var literals: [String] = []

    init(_ text: String) {
        bytes = Array(text.utf8)
    }

    /// Goes through code to its end, or behind the parenthesis that ends an interpolation.
    mutating func readCode(isInterpolation: Bool = false) {
        var depth = 1
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: "/") where isNext("//"): skip(behind: "\n")
            case UInt8(ascii: "/") where isNext("/*"): skip(behind: "*/")
            case UInt8(ascii: "#") where isNext("#\""): skip(behind: "\"#")
            case Self.quote: readLiteral()
            case UInt8(ascii: "("):
                depth += 1
                position += 1
            case UInt8(ascii: ")"):
                depth -= 1
                position += 1
                if isInterpolation, depth == 0 { return }
            default: position += 1
            }
        }
    }

    private mutating func readLiteral() {
        let end = isNext("\"\"\"") ? "\"\"\"" : "\""
        position += end.utf8.count
        var text: [UInt8] = []
        while position < bytes.count {
            if bytes[position] == Self.quote, isNext(end) {
                position += end.utf8.count
                literals.append(String(decoding: text, as: UTF8.self))
                return
            }
            // Then it was none, but something else with a quote.
            if bytes[position] == Self.newline, end.utf8.count == 1 { return }
            if bytes[position] == Self.backslash {
                position += 1
                text += readEscape()
            } else {
                text.append(bytes[position])
                position += 1
            }
        }
    }

    /// Behind a backslash.
    private mutating func readEscape() -> [UInt8] {
        guard position < bytes.count else { return [] }
        let byte = bytes[position]
        position += 1
        switch byte {
        case UInt8(ascii: "("):
            readCode(isInterpolation: true)
            return Self.gap
        case Self.quote, Self.backslash: return [byte]
        // The line goes on.
        case Self.newline: return []
        default: return [UInt8(ascii: " ")]
        }
    }

    private func isNext(_ text: String) -> Bool {
        bytes[position...].starts(with: text.utf8)
    }

    private mutating func skip(behind text: String) {
        position += 2
        while position < bytes.count, !isNext(text) { position += 1 }
        position = min(position + text.utf8.count, bytes.count)
    }
}
