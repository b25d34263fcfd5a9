import BelfryModel
import BelfryStore
import Foundation

/// Removes contacts: those that nothing is left of, and those of people who ask for it (REG-24, REG-36). Renames and
/// merges them for an operator (ADM-5).
package struct ContactService: Sendable {
    /// A receipt as the layers above hand it on.
    package typealias Receipt = ErasureReceipt

    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// Removes a contact that has no device, no event and no delivery; returns its number, for the audit log. One write
    /// looks and removes: nothing comes to the contact in between, and none of it is left behind.
    package func removeOrphan(_ key: String, app: AppRecord) async throws -> Int64 {
        try await database.write { connection in
            let contact = try AppLookup(connection: connection, app: app.id).contact(key)
            try Self.refuseErasing(contact, connection)
            if let ties = try connection.orphanedContacts.ties(of: contact.id), !ties.isOrphan {
                throw ServiceError.conflict(message: "Only orphans can be removed; \(ties.sentence)")
            }
            try connection.contacts.delete(contact.id, app: app.id)
            return contact.id
        }
    }

    /// Removes a person: the contact, its devices and what they sent, its former keys, and its name in audiences and
    /// comments. The devices are turned away from then on.
    ///
    /// A contact that many devices share, that many others became, or whose devices have said very much goes in several
    /// writes, itself with the last: one that breaks off is asked for again, and goes on where it was, with the same
    /// receipt. Meanwhile nobody comes to the contact, and it gets no other names: what was to do at the beginning is all
    /// there is.
    package func erase(_ key: String, app: AppRecord) async throws -> Receipt {
        try await erase(.key(key), app: app)
    }

    /// The same for a person who is named in whatever way.
    package func erase(_ person: PersonReference, app: AppRecord) async throws -> Receipt {
        let now = environment.now()
        let name = environment.uuid().uuidString
        let number = try await number(of: person, app: app)
        try await forgetNames(app: app) { try await forEachPageOfNames(of: number, $0) }
        var place = ContactErasure.Place()
        while true {
            let reached = place
            let step = try await database.write {
                [environment] connection -> (receipt: Receipt, place: ContactErasure.Place) in
                // It may have gone into another one meanwhile, or be erased by somebody else.
                guard let id = try connection.contacts.surviving(number),
                    let contact = try connection.contacts.find(id: id)
                else { throw ServiceError.notFound(what: "contact", id: String(number)) }
                let erasure = ContactErasure(
                    connection: connection, contact: contact, named: number, now: now, time: StepTime(environment),
                    place: reached
                )
                return try erasure.step(receipt: name)
            }
            if step.receipt.endedAt != nil { return step.receipt }
            place = step.place
            let names = try await deviceNames(of: number)
            try await forgetNames(app: app) { try await $0(names) }
        }
    }

    /// Takes a person's names out of audiences and comments.
    ///
    /// - Parameter forEachPage: hands the names on, page by page.
    private func forgetNames(
        app: AppRecord, _ forEachPage: ((PersonNames) async throws -> Void) async throws -> Void
    ) async throws {
        // A name may be a part of another one, on another page: only when all that a comment has are known, it is said
        // where each of them begins and ends.
        var written: Set<NameRedaction.Name> = []
        try await forEachPage { names in
            try await forgetInAudiences(names, app: app)
            let found = try await inComments(names, app: app)
            written.formUnion(found)
        }
        try await forgetInComments(written, app: app)
    }

    /// The number that stands for a person, in the audit log too: the contact's, or that of one that went into it.
    package func number(of person: PersonReference, app: AppRecord) async throws -> Int64 {
        try await database.read { try AppLookup(connection: $0, app: app.id).number(of: person) }
    }

    /// What an erasure of a person would remove now. All but messages is counted up to a number that tells enough, and these as far
    /// as one step of an erasure takes them.
    package func erasable(_ person: PersonReference, app: AppRecord) async throws -> ErasablePerson {
        try await database.read { connection in
            let contact = try AppLookup(connection: connection, app: app.id).person(person)
            return try ErasablePerson(contact, in: connection)
        }
    }

    /// The receipt of an erasure, to be shown later.
    package func receipt(_ name: String, app: AppRecord) async throws -> Receipt {
        guard let receipt = try await database.read({ try $0.erasures.find(name, app: app.id) }) else {
            throw ServiceError.notFound(what: "receipt", id: String(name.prefix(64)))
        }
        return receipt
    }

    /// The receipts of an app, newest first, and the number before which the list goes on.
    package func receipts(
        app: AppRecord, before cursor: Int64?, limit: Int
    ) async throws -> (receipts: [Receipt], next: Int64?) {
        let found = try await database.read {
            try $0.erasures.list(app: app.id, before: cursor, limit: limit + 1)
        }
        let (shown, next) = found.cut(to: limit) { $0.id }
        return (shown.map(\.receipt), next)
    }
}

extension ContactTies {
    /// `this contact has events and deliveries.`
    fileprivate var sentence: String {
        let held = [devices ? "a device" : nil, events ? "events" : nil, deliveries ? "deliveries" : nil]
            .compactMap(\.self).joined(separator: " and ")
        guard held.isEmpty else { return "this contact has \(held)." }
        return "devices have left more with this contact than is looked through. An erasure removes it."
    }
}
