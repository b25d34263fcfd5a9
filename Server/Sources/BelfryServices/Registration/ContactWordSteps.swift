import BelfryModel
import BelfryStore
import Foundation

/// The steps of a registration behind the first one, on a distributed database (Docs/Decisions/0009-citus.md). Each may be
/// done again: the contact notes, in the transaction in which it hears a word, that it knows it.
///
/// Several processes may be at the same word, and a call of the device beside them. So each step holds the contacts that
/// the word names, and then reads the word again.
struct ContactWordSteps {
    typealias Word = ContactWordRepository.Word

    let connection: any SQLConnection
    /// Where one server has the whole database, there are none.
    let words: ContactWordRepository
    let now: Date

    /// All of them for all words of a device, in the transaction of a call that must come after them.
    func settle(_ device: Int64) throws {
        while let word = try words.first(of: device) {
            try tellFormer(word)
            try tell(word)
            try end(word)
        }
    }

    func tellFormer(_ word: Word) throws {
        guard let said = try held(word)?.word else { return }
        // Once the contact has heard it, the former one may be a part of it.
        guard try !words.knows(said.contact, word) else { return }
        try ContactWordApplication(connection: connection, now: now).tellFormer(said)
    }

    func tell(_ word: Word) throws {
        guard let said = try held(word)?.word else { return }
        // One that is erased meanwhile hears nothing; one that went into another is heard there.
        guard try !words.knows(said.contact, word), let contact = try connection.contacts.surviving(said.contact)
        else { return }
        try ContactWordApplication(connection: connection, now: now).tell(said.said(to: contact))
        try words.note(word, heardBy: said.contact)
    }

    /// The device's place in the audience gets its contact's values, and the registration its receipt.
    func end(_ word: Word) throws {
        guard let kept = try held(word) else { return }
        let contact = try connection.contacts.surviving(kept.word.contact)
        if let contact { try connection.audiences.catchUp([word.device], with: contact, app: kept.app) }
        try connection.registrations.finish(
            RegistrationKey(device: word.device, id: word.registration), status: kept.receipt.status,
            rejected: kept.receipt.rejected, contact: contact,
            accepted: kept.receipt.accepted, now: now
        )
        try words.remove(word)
    }

    /// What a word says, with the contacts held that it names; nil if it is done meanwhile.
    private func held(_ word: Word) throws -> KeptWord? {
        let kept = try JSONText.decode(KeptWord.self, word.text)
        let said = try kept.word
        let named: Set<Int64> = [said.contact, said.arrival?.left?.contact ?? said.contact]
        let present = try connection.contacts.survivors(of: named).values
        try connection.hold(named.union(present))
        guard try words.first(of: word.device) == word else { return nil }
        return kept
    }
}

extension ContactWordSteps {
    /// Does what is left of a device's words, if several servers hold the database together.
    static func settle(_ device: Int64, in connection: any SQLConnection, now: Date) throws {
        guard let words = connection.contactWords else { return }
        try ContactWordSteps(connection: connection, words: words, now: now).settle(device)
    }

    /// Does what is left of all words that name a contact, and holds it. It comes before a contact is changed as a whole:
    /// who erases it, or moves what it has, goes by what it has heard.
    ///
    /// - Returns: whether there were words. Then what was read of contacts before has to be read again.
    static func settle(naming contact: Int64, in connection: any SQLConnection, now: Date) throws -> Bool {
        guard let words = connection.contactWords else { return false }
        try connection.hold([contact])
        let devices = try words.devices(naming: contact)
        let steps = ContactWordSteps(connection: connection, words: words, now: now)
        for device in devices { try steps.settle(device) }
        return !devices.isEmpty
    }
}
