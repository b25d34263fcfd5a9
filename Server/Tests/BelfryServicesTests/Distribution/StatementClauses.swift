/// A query or a write by its clauses.
struct StatementClauses {
    /// What stands before the first of them.
    private(set) var first: [StatementTree.Node] = []
    private(set) var others: [(word: String, nodes: [StatementTree.Node])] = []

    private static let words: Set = [
        "FOR", "FROM", "GROUP", "HAVING", "LIMIT", "OFFSET", "ORDER", "RETURNING", "SET", "WHERE",
    ]

    init(_ nodes: [StatementTree.Node]) {
        var before: StatementTree.Node?
        for node in nodes {
            // `IS NOT DISTINCT FROM` compares.
            if case .word(let word) = node, Self.words.contains(word), before?.isWord("DISTINCT") != true {
                others.append((word: word, nodes: []))
            } else if others.isEmpty {
                first.append(node)
            } else {
                others[others.count - 1].nodes.append(node)
            }
            before = node
        }
    }

    subscript(word: String) -> [[StatementTree.Node]] {
        others.filter { $0.word == word }.map { $0.nodes }
    }
}

extension [StatementTree.Node] {
    static var unions: [String] { ["UNION", "EXCEPT", "INTERSECT"] }
    static var joins: [String] { ["JOIN", "LEFT", "RIGHT", "INNER", "OUTER", "FULL", "CROSS"] }

    var isQuery: Bool {
        switch first {
        case .word(let word): ["SELECT", "WITH", "VALUES"].contains(word)
        case .group(let inner): inner.isQuery && (count == 1 || self[1].isWord(Self.unions))
        default: false
        }
    }

    /// The queries of a union.
    var parts: [[StatementTree.Node]] {
        split(omittingEmptySubsequences: false) { $0.isWord(Self.unions) }
            .map { $0.first?.isWord("ALL") == true ? Array($0.dropFirst()) : Array($0) }
    }

    /// What commas separate.
    var members: [[StatementTree.Node]] {
        split(separator: StatementTree.Node.comma).map { Array($0) }
    }

    /// Conditions that hold together; the `AND` of a `BETWEEN` is none of theirs.
    var conjuncts: [[StatementTree.Node]] {
        var parts: [[StatementTree.Node]] = [[]]
        var isRange = false
        for node in self {
            if node.isWord("AND"), !isRange {
                parts.append([])
                continue
            }
            if node.isWord("AND", "BETWEEN") { isRange = node.isWord("BETWEEN") }
            parts[parts.count - 1].append(node)
        }
        return parts
    }

    /// Where a condition compares.
    var comparison: Int? {
        firstIndex { node in
            switch node {
            case .symbol(let symbol): ["=", "<", ">", "<=", ">=", "<>", "!="].contains(symbol)
            default: node.isWord("IN", "BETWEEN", "IS", "LIKE", "NOT")
            }
        }
    }
}
