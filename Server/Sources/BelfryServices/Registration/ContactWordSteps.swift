import BelfryModel
import BelfryStore
import Foundation

/// The steps of a registration behind the first one, on a distributed database (Docs/Decisions/0009-citus.md). Each may be
/// done again: the contact notes, in the transaction in which it hears a word, that it knows it.
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
        let said = try kept(word).word
        // Once the contact has heard it, the former one may be a part of it.
        guard try !words.knows(said.contact, word) else { return }
        try ContactWordApplication(connection: connection, now: now).tellFormer(said)
    }

    func tell(_ word: Word) throws {
        let said = try kept(word).word
        // One that is erased meanwhile hears nothing; one that went into another is heard there.
        guard try !words.knows(said.contact, word), let contact = try connection.contacts.surviving(said.contact)
        else { return }
        try ContactWordApplication(connection: connection, now: now).tell(said.said(to: contact))
        try words.note(word, heardBy: said.contact)
    }

    /// The device's place in the audience gets its contact's values, and the registration its receipt.
    func end(_ word: Word) throws {
        let kept = try self.kept(word)
        let contact = try connection.contacts.surviving(kept.word.contact)
        if let contact { try connection.audiences.catchUp([word.device], with: contact, app: kept.app) }
        try connection.registrations.finish(
            RegistrationKey(device: word.device, id: word.registration), status: kept.receipt.status,
            rejected: kept.receipt.rejected, contact: contact,
            accepted: kept.receipt.accepted, now: now
        )
        try words.remove(word)
    }

    private func kept(_ word: Word) throws -> KeptWord { try JSONText.decode(KeptWord.self, word.text) }
}
