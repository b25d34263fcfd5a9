/// A query that is asked for many keys at once, each of them a row of its arguments (FLEET-4).
///
/// It is written once, for one key:
///
///     KeyedQuery { asked in "SELECT name FROM things WHERE id = \(asked(.integer))" }
///
/// Each place of an argument is named where it stands, so their order is that of the text. One whose rows have an order
/// has it here.
package struct KeyedQuery: Sendable {
    /// Of the arguments.
    package let kinds: [TableShape.Kind]
    /// Asks for one key, whose values are its arguments.
    package let rowSQL: SQLText
    /// Asks for many. Its arguments are arrays, one for each of ``kinds``, which not every engine has. Behind the columns
    /// comes the place of the key, counted from 1.
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
        // With an offset, if only of 0, it is planned by itself: each key is found as if it were the only one. As a part
        // of the join a few dozen keys are reason enough to read a table of some thousand rows as a whole, and in a
        // transaction that writes such a read stands in the way of every other.
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
