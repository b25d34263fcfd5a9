import BelfryStore

/// The prepared statements that a connection keeps, and which of them is dropped when there are too many.
struct PostgresStatements {
    /// The length in bytes up to which a statement is kept. Longer ones come from audiences, and each is different.
    static let maximumKeptLength = 2_048
    static let maximumCount = 300

    struct Statement {
        let name: SQLText
        /// The types of the arguments, as the server knows them.
        let types: [UInt32]
        fileprivate var lastUse = 0
    }

    private var kept: [SQLText: Statement] = [:]
    private var uses = 0
    private var names = 0

    /// A kept statement whose arguments have these types; nil stands for a null, which fits any.
    mutating func find(_ sql: SQLText, _ types: [UInt32?]) -> Statement? {
        guard let statement = kept[sql], statement.types.count == types.count else { return nil }
        for (known, type) in zip(statement.types, types) {
            guard type == nil || type == known else { return nil }
        }
        uses += 1
        kept[sql]?.lastUse = uses
        return statement
    }

    /// The types to prepare a statement with: those of its arguments, and for nulls those known from an earlier use.
    func types(_ sql: SQLText, _ types: [UInt32?]) -> [UInt32] {
        let known = kept[sql]?.types
        return types.enumerated().map { index, type in
            type ?? (known?.count == types.count ? known?[index] : nil) ?? PostgresType.unknown
        }
    }

    mutating func newName() -> SQLText {
        names += 1
        return "b\(names)"
    }

    /// Keeps a statement; returns the names of those that are dropped for it.
    mutating func keep(_ sql: SQLText, name: SQLText, types: [UInt32]) -> [SQLText] {
        uses += 1
        var gone: [SQLText] = []
        if let former = kept.updateValue(Statement(name: name, types: types, lastUse: uses), forKey: sql) {
            gone.append(former.name)
        }
        if kept.count > Self.maximumCount, let oldest = kept.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            kept[oldest.key] = nil
            gone.append(oldest.value.name)
        }
        return gone
    }
}
