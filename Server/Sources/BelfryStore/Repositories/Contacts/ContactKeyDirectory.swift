/// Whose the keys of contacts are on a distributed database (FLEET-5): contacts lie by their numbers there, so no index of
/// theirs says whether a key is given. A key is written here before the contact's row, and goes with it.
///
/// Each entry leads to the row with the key, a contact's or that of one that went into another.
struct ContactKeyDirectory {
    let connection: any SQLConnection

    /// The number of the row with a key.
    func row(of key: String, app: Int64) throws -> Int64? {
        let question = Self.askForRow(of: key, app: app)
        return try connection.first(question.sql, question.arguments) { $0.integer(0) }
    }

    /// The question of ``row(of:app:)``.
    static func askForRow(of key: String, app: Int64) -> SQLFragment {
        SQLFragment(
            "SELECT contact_id FROM contact_keys WHERE app_id = ? AND contact_key = ?", [.integer(app), .text(key)]
        )
    }

    /// The numbers of the rows with some keys, in no order, without those keys that nobody has.
    func rows(of keys: [(app: Int64, key: String)]) throws -> Set<Int64> {
        let questions = keys.map { Self.askForRow(of: $0.key, app: $0.app) }
        return Set(try connection.queryTogether(questions) { $0.integer(0) }.joined())
    }

    /// Gives keys to contacts that are to be made, unless somebody has them.
    ///
    /// - Returns: the numbers of the rows with the keys, in the order of the contacts: new ones, of which there are no rows
    ///   yet, or those that have them.
    func give(_ contacts: [NewContact]) throws -> [Int64] {
        let drawn = try drawNumbers(contacts.count)
        let entries = zip(contacts, drawn).map { contact, number in
            SQLFragment(
                """
                INSERT INTO contact_keys (app_id, contact_key, contact_id) VALUES (?, ?, ?)
                ON CONFLICT (app_id, contact_key) DO UPDATE SET contact_id = contact_keys.contact_id
                RETURNING contact_id
                """,
                [.integer(contact.app), .text(contact.key), .integer(number)]
            )
        }
        let numbers = try connection.queryTogether(entries) { $0.integer(0) }.map { found in
            guard let number = found.first else { throw StoreError.corrupted(table: "contact_keys", key: "a new one") }
            return number
        }
        connection.holdNew(Set(drawn).intersection(numbers))
        return numbers
    }

    /// A contact gets another key, and its former one leads to an alias.
    ///
    /// - Parameter alias: the contact's alias that has the other key until then; nil: nobody has it.
    /// - Returns: the number of the alias with the former key: that one, or a new one, of which there is no row yet.
    func rename(_ contact: ContactRow, to key: String, alias: Int64?) throws -> Int64 {
        if let alias {
            try lead(key, app: contact.app, to: contact.id)
            try lead(contact.key, app: contact.app, to: alias)
            return alias
        }
        guard let number = try drawNumbers(1).first else {
            throw StoreError.corrupted(table: "contacts", key: "a new number")
        }
        // Should somebody have taken the key meanwhile, this is refused, and what asked for it is asked again.
        try connection.execute(
            "INSERT INTO contact_keys (app_id, contact_key, contact_id) VALUES (?, ?, ?)",
            [.integer(contact.app), .text(key), .integer(contact.id)]
        )
        try lead(contact.key, app: contact.app, to: number)
        return number
    }

    private func lead(_ key: String, app: Int64, to row: Int64) throws {
        try connection.execute(
            "UPDATE contact_keys SET contact_id = ? WHERE app_id = ? AND contact_key = ?",
            [.integer(row), .integer(app), .text(key)]
        )
    }

    /// Removes rows of contacts with the keys that lead to them, and what they have noted of words.
    ///
    /// - Parameter deletion: of the rows.
    /// - Returns: how many rows it were.
    func remove(by deletion: SQLText, _ arguments: [SQLValue]) throws -> Int {
        let gone = try connection.query("\(deletion) RETURNING app_id, contact_key, id", arguments) { row in
            [SQLValue.integer(row.integer(0)), .text(row.text(1)), .integer(row.integer(2))]
        }
        try connection.executeEach(
            "DELETE FROM contact_keys WHERE app_id = ? AND contact_key = ? AND contact_id = ?", gone
        )
        try connection.contactWords?.forget(contacts: gone.map { $0[2] })
        return gone.count
    }

    /// Numbers of contacts that nobody has, or will have.
    private func drawNumbers(_ count: Int) throws -> [Int64] {
        guard count > 0 else { return [] }
        return try connection.query(
            "SELECT nextval(pg_get_serial_sequence('contacts', 'id')) FROM generate_series(1, ?)", [.integer(count)]
        ) { $0.integer(0) }
    }
}

extension ContactRepository {
    /// Who knows whose a key is; nil where one server has the whole database, whose index of keys says it.
    var keyDirectory: ContactKeyDirectory? {
        connection.dialect.isDistributed ? ContactKeyDirectory(connection: connection) : nil
    }

    /// Removes contacts, and what leads to them by their keys; returns how many.
    @discardableResult
    func remove(by deletion: SQLText, _ arguments: [SQLValue]) throws -> Int {
        guard let keyDirectory else { return try connection.execute(deletion, arguments) }
        return try keyDirectory.remove(by: deletion, arguments)
    }
}
