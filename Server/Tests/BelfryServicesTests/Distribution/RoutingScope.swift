import BelfryStore

/// What the conditions of a query may name: its own tables, and those of the queries around it (FLEET-5).
struct RoutingScope {
    /// A table, or a query that stands in its place.
    struct Source {
        let name: String
        /// Its columns that are distribution columns, each with the mentions whose it is: in a union, one of each part.
        var keys: [String: [Int]] = [:]
        /// Whether its other columns are known without a look at any shard.
        var isFree = true
    }

    /// Those of each query, the innermost last.
    private var sources: [[Source]] = []

    private var own: [Source] { sources.last ?? [] }

    /// That of a query within.
    func within(_ own: [Source]) -> RoutingScope {
        var scope = self
        scope.sources.append(own)
        return scope
    }

    private func source(named name: String) -> (source: Source, isOwn: Bool)? {
        if let found = own.first(where: { $0.name == name }) { return (source: found, isOwn: true) }
        guard let found = sources.reversed().joined().first(where: { $0.name == name }) else { return nil }
        return (source: found, isOwn: false)
    }

    /// A distribution column.
    struct Key {
        /// Those whose column it is.
        let mentions: [Int]
        /// Whether it is of this query, whose conditions decide of its own rows alone.
        let isOwn: Bool

        static let none = Key(mentions: [], isOwn: true)
    }

    /// The distribution column that an expression is, if it is one.
    func key(_ nodes: [StatementTree.Node]) -> Key {
        let expression = nodes.drop { $0 == .symbol("+") }
        guard expression.count == 1, let node = expression.first else { return .none }
        switch node {
        case .group(let inner): return inner.isQuery ? .none : key(inner)
        case .name(let name):
            guard name.count > 1 else {
                return Key(mentions: own.compactMap { $0.keys[name[0]] }.first ?? [], isOwn: true)
            }
            guard let found = source(named: name[0]) else { return .none }
            return Key(mentions: found.source.keys[name[1]] ?? [], isOwn: found.isOwn)
        default: return .none
        }
    }

    /// Whether an expression is known without a look at any shard.
    func isValue(_ nodes: [StatementTree.Node], inQuery: Bool = false) -> Bool {
        var rest = nodes[...]
        while let node = rest.popFirst() {
            switch node {
            case .symbol("::"), .word("AS"), .word("COLLATE"): rest = rest.dropFirst()
            case .name(let name): guard isValue(name, inQuery: inQuery) else { return false }
            case .group(let inner), .choice(let inner), .call(_, let inner):
                guard isValue(inner, inQuery: inQuery || inner.isQuery) else { return false }
            case .word, .value, .symbol: break
            }
        }
        return true
    }

    private func isValue(_ name: [String], inQuery: Bool) -> Bool {
        if name.count > 1 {
            // What no query around it has is its own, and its tables are looked at by their names.
            guard let found = source(named: name[0])?.source else { return inQuery }
            return found.isFree && found.keys[name[1]] == nil
        }
        guard inQuery else { return own.allSatisfy { $0.isFree && $0.keys[name[0]] == nil } }
        if case .distributed = Distribution.place(of: name[0]) { return false }
        return true
    }
}
