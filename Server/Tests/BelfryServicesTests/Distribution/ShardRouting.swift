import BelfryStore

/// Whether the conditions of a statement lead to the shards of the rows that it is about (FLEET-5).
///
/// They do for a table when they compare its distribution column with values, or with that of another table of the same
/// owner for which they do. What stands within an `OR` leads nowhere. A range is not enough: rows are distributed by a
/// hash of the number, so those of a range are everywhere.
struct ShardRouting {
    enum Finding: Hashable {
        /// No condition leads to the rows of this table.
        case everywhere(String)
        /// Only a range of its distribution column does.
        case range(String)
        /// Its rows get another value of the distribution column, so they would have to go to another shard.
        case moves(String)
        /// Whether a row is there already is decided by a key without the distribution column.
        case conflictKey(String)
        /// What the reader of statements does not understand.
        case unreadable
    }

    private(set) var findings: Set<Finding> = []

    /// A column that a query selects.
    private struct Output {
        let name: String
        /// The mentions whose distribution column it is.
        var mentions: [Int]
    }

    private struct Unreadable: Error {}

    private typealias Node = StatementTree.Node
    private typealias Source = RoutingScope.Source

    private var mentions = TableMentions()
    /// Names of the queries that stand before the statement.
    private var named: Set<String> = []

    /// - Parameter statement: whatever the program sends. What neither reads nor writes rows has no findings.
    init(of statement: String) {
        let verb = statement.drop { $0.isWhitespace }.prefix { $0.isLetter }
        guard !Self.others.contains(String(verb)) else { return }
        do {
            try query(StatementTree(statement).nodes, RoutingScope())
        } catch {
            findings.insert(.unreadable)
        }
        findings.formUnion(mentions.findings)
    }

    /// The beginnings of what neither reads nor writes rows.
    private static let others: Set = [
        "ALTER", "ANALYZE", "BEGIN", "COMMIT", "CREATE", "DEALLOCATE", "DROP", "EXPLAIN", "GRANT", "LISTEN", "LOCK",
        "NOTIFY", "PREPARE", "RELEASE", "ROLLBACK", "SAVEPOINT", "SET", "TRUNCATE",
    ]

    // MARK: Queries and writes

    /// - Returns: what a query selects, in its order.
    @discardableResult
    private mutating func query(_ nodes: [Node], _ outer: RoutingScope) throws -> [Output] {
        if nodes.count == 1, case .group(let inner) = nodes[0] { return try query(inner, outer) }
        if let first = nodes.first, first.isWord("WITH") { return try query(behindOthers: nodes, outer) }
        let parts = nodes.parts
        guard parts.count > 1 else { return try single(nodes, outer) }
        var outputs = try query(parts[0], outer)
        for part in parts.dropFirst() {
            let others = try query(part, outer)
            guard others.count == outputs.count else {
                outputs = []
                continue
            }
            for (place, other) in others.enumerated() {
                let isKey = !outputs[place].mentions.isEmpty && !other.mentions.isEmpty
                outputs[place].mentions = isKey ? outputs[place].mentions + other.mentions : []
            }
        }
        return outputs
    }

    /// `WITH name AS (…), … SELECT …`.
    private mutating func query(behindOthers nodes: [Node], _ outer: RoutingScope) throws -> [Output] {
        var rest = nodes.dropFirst()
        if let first = rest.first, first.isWord("RECURSIVE") { rest = rest.dropFirst() }
        while let name = rest.popFirst() {
            switch name {
            case .name(let parts): named.insert(parts.joined(separator: "."))
            case .call(let name, _): named.insert(name)
            default: throw Unreadable()
            }
            rest = rest.drop { $0.isWord("AS", "MATERIALIZED", "NOT") }
            guard case .group(let inner)? = rest.popFirst() else { throw Unreadable() }
            try query(inner, outer)
            guard rest.first == Node.comma else { return try query(Array(rest), outer) }
            rest = rest.dropFirst()
        }
        throw Unreadable()
    }

    private mutating func single(_ nodes: [Node], _ outer: RoutingScope) throws -> [Output] {
        guard case .word(let verb)? = nodes.first else { throw Unreadable() }
        let rest = Array(nodes.dropFirst())
        switch verb {
        case "SELECT": return try select(rest, outer)
        case "VALUES": try look(through: rest, outer)
        case "INSERT": try insert(rest, outer)
        case "UPDATE": try update(rest, outer)
        case "DELETE": try delete(rest, outer)
        default: throw Unreadable()
        }
        return []
    }

    private mutating func select(_ nodes: [Node], _ outer: RoutingScope) throws -> [Output] {
        let clauses = StatementClauses(nodes)
        let own = try sources(of: clauses, outer)
        let scope = outer.within(own)
        try conditions(of: clauses, scope)
        let isDistinct = clauses.first.first?.isWord("DISTINCT") == true
        let selected = isDistinct ? Array(clauses.first.dropFirst()) : clauses.first
        return selected.members.flatMap { Self.outputs(of: $0, own, scope) }
    }

    /// Of one selected expression. A star stands for the keys alone: nobody asks for its columns by their place.
    private static func outputs(of expression: [Node], _ own: [Source], _ scope: RoutingScope) -> [Output] {
        func keys(_ source: Source) -> [Output] { source.keys.map { Output(name: $0.key, mentions: $0.value) } }
        switch expression[0] {
        case .symbol("*"): return own.flatMap(keys)
        case .name(let name) where name.last == "*": return own.filter { $0.name == name[0] }.flatMap(keys)
        default:
            let mentions = scope.key(Array(expression.prefix { !$0.isWord("AS") })).mentions
            guard case .name(let name)? = expression.last else { return [Output(name: "", mentions: mentions)] }
            return [Output(name: name[name.count - 1], mentions: mentions)]
        }
    }

    private mutating func update(_ nodes: [Node], _ outer: RoutingScope) throws {
        let clauses = StatementClauses(nodes)
        guard case .name(let table)? = clauses.first.first else { throw Unreadable() }
        let target = source(table, alias: clauses.first.dropFirst().first.flatMap { Self.alias($0) })
        for assignment in clauses["SET"].flatMap(\.members) {
            guard case .name(let column)? = assignment.first else { throw Unreadable() }
            if target.keys[column[0]] != nil { findings.insert(.moves(table[0])) }
        }
        let others = try sources(of: clauses, outer.within([target]))
        try conditions(of: clauses, outer.within([target] + others))
    }

    private mutating func delete(_ nodes: [Node], _ outer: RoutingScope) throws {
        let clauses = StatementClauses(nodes)
        let own = try sources(of: clauses, outer)
        try conditions(of: clauses, outer.within(own))
    }

    private mutating func insert(_ nodes: [Node], _ outer: RoutingScope) throws {
        guard nodes.count > 1, nodes[0].isWord("INTO") else { throw Unreadable() }
        var columns: [Node] = []
        let target: Source
        switch nodes[1] {
        case .name(let table): target = source(table, alias: nil)
        case .call(let table, let list):
            target = source([table], alias: nil)
            columns = list
        default: throw Unreadable()
        }
        let end = nodes.indices.first { Self.endsRows(nodes[$0...]) } ?? nodes.count
        let (rows, rest) = (Array(nodes[2..<end]), Array(nodes[end...]))
        try query(rows, outer)
        try look(through: rest, outer.within([target]))
        for (column, numbers) in target.keys {
            // A number that the database draws is there before the row's shard is chosen.
            if column == "id" || columns.contains(.name([column])) { mentions.lead(to: numbers) }
            guard rest.count > 2, rest[0].isWord("ON"), case .group(let key) = rest[2] else { continue }
            if !key.contains(.name([column])) { findings.insert(.conflictKey(target.name)) }
        }
    }

    /// Whether what stands behind the rows of an insertion begins here.
    private static func endsRows(_ nodes: ArraySlice<Node>) -> Bool {
        guard let first = nodes.first else { return true }
        if first.isWord("ON"), let second = nodes.dropFirst().first { return second.isWord("CONFLICT") }
        return first.isWord("RETURNING")
    }

    // MARK: Sources

    /// Those of the clause `FROM`. What joins them is a condition, as ``conditions(of:_:)`` reads it.
    private mutating func sources(of clauses: StatementClauses, _ outer: RoutingScope) throws -> [Source] {
        var sources: [Source] = []
        for clause in clauses["FROM"] { try add(clause, to: &sources, outer) }
        return sources
    }

    private mutating func add(_ clause: [Node], to sources: inout [Source], _ outer: RoutingScope) throws {
        var rest = clause[...]
        while let node = rest.popFirst() {
            if node == Node.comma || node.isWord([Node].joins) || node.isWord("LATERAL") { continue }
            if node.isWord("ON") {
                rest = rest.drop { $0 != Node.comma && !$0.isWord([Node].joins) }
                continue
            }
            if case .group(let inner) = node, !inner.isQuery {
                try add(inner, to: &sources, outer)
                continue
            }
            // `WITH ORDINALITY`.
            if let first = rest.first, first.isWord("WITH") { rest = rest.dropFirst(2) }
            if let first = rest.first, first.isWord("AS") { rest = rest.dropFirst() }
            let alias = rest.first.flatMap { Self.alias($0) }
            if alias != nil { rest = rest.dropFirst() }
            let scope = outer.within(sources)
            switch node {
            case .name(let table): sources.append(source(table, alias: alias))
            case .call(let name, let arguments):
                try look(through: arguments, scope)
                sources.append(Source(name: alias ?? name))
            case .group(let inner): sources.append(try source(inner, alias: alias, scope))
            default: throw Unreadable()
            }
        }
    }

    private static func alias(_ node: Node) -> String? {
        switch node {
        case .name(let name): name.count == 1 ? name[0] : nil
        // With names for its columns.
        case .call(let name, _): name
        default: nil
        }
    }

    private mutating func source(_ table: [String], alias: String?) -> Source {
        let name = alias ?? table[table.count - 1]
        // With a point it is one of the server's own. What the schema does not know a test has made.
        guard table.count == 1, !named.contains(table[0]),
            case .distributed(let owner, let column)? = Distribution.place(of: table[0])
        else { return Source(name: name) }
        return Source(name: name, keys: [column: [mentions.add(table[0], of: owner)]], isFree: false)
    }

    /// A query in the place of a table.
    private mutating func source(_ nodes: [Node], alias: String?, _ scope: RoutingScope) throws -> Source {
        let before = mentions.count
        let outputs = try query(nodes, scope)
        var source = Source(name: alias ?? "", isFree: mentions.count == before)
        for output in outputs where !output.mentions.isEmpty { source.keys[output.name] = output.mentions }
        return source
    }

    // MARK: Conditions

    /// Reads all clauses: the conditions as what leads to shards, the queries wherever they stand.
    private mutating func conditions(of clauses: StatementClauses, _ scope: RoutingScope) throws {
        try look(through: clauses.first, scope)
        for clause in clauses.others {
            switch clause.word {
            case "FROM": try joins(in: clause.nodes, scope)
            case "WHERE": try condition(clause.nodes, scope)
            default: try look(through: clause.nodes, scope)
            }
        }
    }

    private mutating func joins(in clause: [Node], _ scope: RoutingScope) throws {
        var rest = clause[...]
        while let node = rest.popFirst() {
            if case .group(let inner) = node, !inner.isQuery { try joins(in: inner, scope) }
            guard node.isWord("ON") else { continue }
            let end = rest.firstIndex { $0 == Node.comma || $0.isWord([Node].joins) } ?? rest.endIndex
            try condition(Array(rest[..<end]), scope)
            rest = rest[end...]
        }
    }

    private mutating func condition(_ nodes: [Node], _ scope: RoutingScope) throws {
        if nodes.count == 1, case .group(let inner) = nodes[0], !inner.isQuery { return try condition(inner, scope) }
        guard !nodes.contains(where: { $0.isWord("OR") }) else { return try look(through: nodes, scope) }
        let conjuncts = nodes.conjuncts
        guard conjuncts.count == 1 else {
            for conjunct in conjuncts { try condition(conjunct, scope) }
            return
        }
        guard let place = nodes.comparison else { return try look(through: nodes, scope) }
        let (left, right) = (Array(nodes[..<place]), Array(nodes[(place + 1)...]))
        try look(through: left, scope)
        if nodes[place].isWord("IN") { return try membership(left, right, scope) }
        try look(through: right, scope)
        switch nodes[place] {
        case .symbol("="):
            equate(left, with: right, scope)
            equate(right, with: left, scope)
        case .word("BETWEEN"), .symbol("<"), .symbol(">"), .symbol("<="), .symbol(">="):
            for key in [scope.key(left), scope.key(right)] where key.isOwn { mentions.bound(key.mentions) }
        default: break
        }
    }

    private mutating func equate(_ side: [Node], with other: [Node], _ scope: RoutingScope) {
        let key = scope.key(side)
        guard key.isOwn else { return }
        mentions.follow(scope.key(other).mentions, by: key.mentions)
        if scope.isValue(other) { mentions.lead(to: key.mentions) }
    }

    private mutating func membership(_ left: [Node], _ right: [Node], _ scope: RoutingScope) throws {
        guard right.count == 1, case .group(let list) = right[0] else { throw Unreadable() }
        var outputs: [Output] = []
        if list.isQuery {
            outputs = try query(list, scope)
        } else {
            try look(through: list, scope)
        }
        var members = [left]
        if left.count == 1, case .group(let several) = left[0] { members = several.members }
        let isFree = scope.isValue(right)
        for (place, member) in members.enumerated() {
            let key = scope.key(member)
            guard key.isOwn else { continue }
            if isFree { mentions.lead(to: key.mentions) }
            guard place < outputs.count else { continue }
            mentions.follow(key.mentions, by: outputs[place].mentions)
            mentions.follow(outputs[place].mentions, by: key.mentions)
        }
    }

    /// Looks for queries; what is around them leads nowhere.
    private mutating func look(through nodes: [Node], _ scope: RoutingScope) throws {
        for node in nodes {
            switch node {
            case .group(let inner), .choice(let inner), .call(_, let inner):
                if inner.isQuery { try query(inner, scope) } else { try look(through: inner, scope) }
            case .word, .name, .value, .symbol: break
            }
        }
    }
}
