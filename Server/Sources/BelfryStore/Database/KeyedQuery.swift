/// A query for many keys in one statement; each key is a row of arguments (FLEET-4).
///
/// It is written once, for one key:
///
///     KeyedQuery { asked in "SELECT name FROM things WHERE id = \(asked(.integer))" }
///
/// Each argument is declared where it is used, so the arguments have the order of the text. If the rows of a key need
/// an order, the query states it.
package struct KeyedQuery: Sendable {
    /// The types of the arguments.
    package let kinds: [TableShape.Kind]
    /// The query for one key; its arguments are the key's values.
    package let rowSQL: SQLText
    /// The query for many keys. Its arguments are arrays, one for each of ``kinds``, which not every engine supports.
    /// After the query's columns comes the index of the key, counted from 1.
    package let arraysSQL: SQLText

    package init(_ query: (_ asked: (TableShape.Kind) -> SQLText) -> SQLText) {
        var kinds: [TableShape.Kind] = []
        rowSQL = query { kind in
            kinds.append(kind)
            return "?"
        }
        var names: [SQLText] = []
        let each = query { _ in
            names.append("key\(names.count + 1)")
            return "asked.key\(names.count)"
        }
        self.kinds = kinds
        // With an offset, even 0, it is planned by itself: each key is found as if it were the only one. As a part of
        // the join, a few dozen keys would make the engine read a table of some thousand rows as a whole; in a
        // transaction that writes, such a read conflicts with all others.
        arraysSQL = """
            SELECT found.*, asked.place
            FROM unnest(\(kinds.map(\.arrayMark).joined(by: ", "))) WITH ORDINALITY
                AS asked (\(names.joined(by: ", ")), place)
            CROSS JOIN LATERAL (
            \(each)
            OFFSET 0) found
            """
    }
}
