/// The parts of contacts: those that were merged into another one, and that one itself (ID-8, ADM-5). A person's rows
/// may name any of them.
package struct ContactPartRepository {
    let connection: any SQLConnection

    /// The condition that the contact in a column is this one, or was merged into it.
    static func isPart(_ column: SQLText, of contact: Int64) -> SQLFragment {
        SQLFragment("\(ContactRepository.surviving(in: column)) = ?", [.integer(contact)])
    }

    /// The same condition for rows of devices. Where several servers hold the database, contacts are on others than these
    /// rows (FLEET-5): the contacts that the rows name are asked for first, and the condition lists those of the person.
    ///
    /// - Parameter rows: a query of the contacts that the rows name; only a distributed database is asked for them.
    func isPart(
        _ column: SQLText, of contact: Int64, among rows: @autoclosure () -> SQLFragment
    ) throws -> SQLFragment {
        guard connection.dialect.isDistributed else { return Self.isPart(column, of: contact) }
        let asked = rows()
        let named = try connection.query(asked.sql, asked.arguments) { $0.integer(0) }
        return try isPart(column, of: contact, among: named)
    }

    /// The same for a distributed database, among contacts that are known already.
    func isPart(_ column: SQLText, of contact: Int64, among named: [Int64]) throws -> SQLFragment {
        let parts = try all(of: contact, among: named)
        return SQLFragment("\(column) IN (\(connection.dialect.integers))", [.integers(parts.sorted())])
    }

    /// Whether a number names this contact, or one that was merged into it.
    package func isPart(_ id: Int64, of contact: Int64) throws -> Bool {
        try id == contact || connection.contacts.surviving(id) == contact
    }

    /// The given contacts that are this one, or were merged into it.
    package func all(of contact: Int64, among ids: [Int64]) throws -> Set<Int64> {
        guard !ids.isEmpty else { return [] }
        let found = try connection.query(
            "SELECT id FROM contacts WHERE id IN (\(connection.dialect.integers)) AND coalesce(merged_into, id) = ?",
            [.integers(ids), .integer(contact)]
        ) { $0.integer(0) }
        return Set(found)
    }

    /// The given contacts that are this one or were merged into it, each with whether the app has named it.
    func knowledge(of ids: [Int64], in contact: Int64) throws -> [Int64: Bool] {
        guard !ids.isEmpty else { return [:] }
        return try connection.query(
            """
            SELECT id, known FROM contacts
            WHERE id IN (\(connection.dialect.integers)) AND coalesce(merged_into, id) = ?
            """,
            [.integers(ids), .integer(contact)]
        ) { ($0.integer(0), $0.flag(1)) }.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }

    /// Redirects the first contacts that were merged into one contact to another one. In open mode anyone can cause any
    /// number of merges into one contact, hence the limit.
    ///
    /// - Returns: how many contacts were redirected.
    package func redirect(of id: Int64, to contact: Int64, limit: Int) throws -> Int {
        let parts = try merged(into: id, limit: limit)
        guard !parts.isEmpty else { return 0 }
        return try connection.execute(
            "UPDATE contacts SET merged_into = ? WHERE id IN (\(connection.dialect.integers))",
            [.integer(contact), .integers(parts)]
        )
    }

    /// Contacts that were merged into this one, in no order. There may be any number, hence the limit.
    package func merged(into contact: Int64, limit: Int) throws -> [Int64] {
        try connection.query(
            "SELECT id FROM contacts WHERE merged_into = ? LIMIT ?", [.integer(contact), .integer(limit)]
        ) { $0.integer(0) }
    }

    /// How many contacts were merged into this one, counted up to a limit.
    package func count(mergedInto contact: Int64, upTo limit: Int) throws -> Int {
        try connection.first(
            "SELECT count(*) FROM (SELECT 1 FROM contacts WHERE merged_into = ? LIMIT ?) n",
            [.integer(contact), .integer(limit)]
        ) { Int($0.integer(0)) } ?? 0
    }

    /// The known contacts among the first so many that were merged into this one, including the rows of its former
    /// keys. The limit is needed since anyone may cause any number of merges of anonymous contacts.
    package func known(among limit: Int, mergedInto contact: Int64) throws -> [Int64] {
        try connection.query(
            "SELECT id FROM (SELECT id, known FROM contacts WHERE merged_into = ? LIMIT ?) p WHERE known = 1",
            [.integer(contact), .integer(limit)]
        ) { $0.integer(0) }
    }

    /// Deletes the first anonymous contacts that were merged into the contact; returns how many.
    func deleteAnonymous(mergedInto contact: Int64, except named: Int64, limit: Int) throws -> Int {
        let ids = try connection.query(
            "SELECT id FROM contacts WHERE merged_into = ? AND known = 0 AND id <> ? LIMIT ?",
            [.integer(contact), .integer(named), .integer(limit)]
        ) { $0.integer(0) }
        guard !ids.isEmpty else { return 0 }
        try connection.contactLinks.deleteAll(ofContacts: ids)
        return try delete(ids)
    }

    /// Deletes the known contacts that were merged into the contact, once the anonymous ones are gone: first some of
    /// the links that their devices left, then, if there are very many contacts, the first of these.
    ///
    /// - Returns: whether few of them are left, with few links.
    func deleteKnown(mergedInto contact: Int64, except named: Int64, limit: Int) throws -> Bool {
        let parts = try merged(into: contact, limit: limit)
        guard try connection.contactLinks.deleteFirst(limit, ofContacts: parts) < limit else { return false }
        let others = parts.filter { $0 != named }
        guard parts.count == limit, !others.isEmpty else { return true }
        try delete(others)
        return false
    }

    @discardableResult
    private func delete(_ ids: [Int64]) throws -> Int {
        try connection.openings.forgetContacts(ids)
        return try connection.contacts.remove(
            by: "DELETE FROM contacts WHERE id IN (\(connection.dialect.integers))", [.integers(ids)]
        )
    }
}

extension SQLConnection {
    package var contactParts: ContactPartRepository { ContactPartRepository(connection: self) }
}
