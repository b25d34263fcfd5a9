import Foundation

/// What registrations say to contacts, until these have heard it (FLEET-5): on a distributed database alone, where a device
/// and its contact may be on two servers. A word lies beside its device, and the number of the last one that a contact has
/// heard of the device beside the contact.
package struct ContactWordRepository {
    let connection: any SQLConnection

    package struct Word: Hashable, Sendable {
        package let device: Int64
        /// It grows with each word of a device.
        package let number: Int64
        package let registration: Int64
        package let text: String
    }

    /// The number comes from one sequence. Of two transactions that draw one for the same device, the later one begins anew.
    ///
    /// - Parameters:
    ///   - contact: the contact to which it is said.
    ///   - former: the contact that the device has left for that one.
    package func insert(
        _ text: String, of registration: Int64, device: Int64, naming contact: Int64, _ former: Int64?
    ) throws {
        let number = try connection.first("SELECT nextval('contact_word_numbers')", []) { $0.integer(0) }
        guard let number else { throw StoreError.corrupted(table: "contact_words", key: "a new number") }
        try connection.execute(
            """
            INSERT INTO contact_words (device_id, number, registration_id, contact_id, former_id, word)
            VALUES (?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(device), .integer(number), .integer(registration), .integer(contact), .optional(former),
                .text(text),
            ]
        )
    }

    /// The first word of a device that is not done.
    package func first(of device: Int64) throws -> Word? {
        try connection.first(
            "SELECT number, registration_id, word FROM contact_words WHERE device_id = ? ORDER BY number LIMIT 1",
            [.integer(device)]
        ) { Word(device: device, number: $0.integer(0), registration: $0.integer(1), text: $0.text(2)) }
    }

    /// The devices with words that name a contact. Words are few: a device has one at a time, as long as that is on its way.
    package func devices(naming contact: Int64) throws -> [Int64] {
        let found = try connection.query(
            "SELECT device_id FROM contact_words WHERE contact_id = ? OR former_id = ?",
            [.integer(contact), .integer(contact)]
        ) { $0.integer(0) }
        return Set(found).sorted()
    }

    package func remove(_ word: Word) throws {
        try connection.execute(
            "DELETE FROM contact_words WHERE device_id = ? AND number = ?",
            [.integer(word.device), .integer(word.number)]
        )
    }

    /// Whether a contact has heard a word.
    package func knows(_ contact: Int64, _ word: Word) throws -> Bool {
        let last = try connection.first(
            "SELECT number FROM known_words WHERE contact_id = ? AND device_id = ?",
            [.integer(contact), .integer(word.device)]
        ) { $0.integer(0) }
        return last.map { $0 >= word.number } ?? false
    }

    package func note(_ word: Word, heardBy contact: Int64) throws {
        try connection.execute(
            """
            INSERT INTO known_words (contact_id, device_id, number) VALUES (?, ?, ?)
            ON CONFLICT (contact_id, device_id) DO UPDATE SET number = excluded.number
            """,
            [.integer(contact), .integer(word.device), .integer(word.number)]
        )
    }

    func deleteAll(ofDevice device: Int64) throws {
        try connection.execute("DELETE FROM contact_words WHERE device_id = ?", [.integer(device)])
    }

    func forget(contacts: [SQLValue]) throws {
        try connection.executeEach("DELETE FROM known_words WHERE contact_id = ?", contacts.map { [$0] })
    }
}

extension SQLConnection {
    /// Nil where one server has the whole database: there a registration is applied in one transaction.
    package var contactWords: ContactWordRepository? {
        dialect.isDistributed ? ContactWordRepository(connection: self) : nil
    }
}
