import BelfryModel
import BelfryStore
import Foundation

/// Removes orphaned contacts, and erases people on request (REG-24, REG-36). Renames and merges contacts for an
/// operator (ADM-5).
package struct ContactService: Sendable {
    /// A receipt, as the layers above use it.
    package typealias Receipt = ErasureReceipt

    let database: any SQLDatabase
    let environment: ServerEnvironment

    package init(database: any SQLDatabase, environment: ServerEnvironment) {
        self.database = database
        self.environment = environment
    }

    /// Removes a contact without devices, events and deliveries, and returns its number for the audit log. The check
    /// and the removal are one write, so that nothing can be added to the contact in between. Very many messages are
    /// removed by writes before, since each may have a long text of its own (SEC-9).
    package func removeOrphan(_ key: String, app: AppRecord) async throws -> Int64 {
        while true {
            if let number = try await removeOrphanOrMessages(key, app: app) { return number }
        }
    }

    /// - Returns: the contact's number; nil if some of its messages were removed, and others are left.
    private func removeOrphanOrMessages(_ key: String, app: AppRecord) async throws -> Int64? {
        try await database.write { connection -> Int64? in
            let contact = try AppLookup(connection: connection, app: app.id).contact(key)
            try connection.hold([contact.id])
            try Self.rejectErasing(contact, connection)
            if let ties = try connection.orphanedContacts.ties(of: contact.id), !ties.isOrphan {
                throw ServiceError.conflict(message: "Only orphans can be removed; \(ties.sentence)")
            }
            var room = MoveRoom.atOnce
            guard try connection.centerMessages.eraseSome(of: contact.id, in: &room).areAll else { return nil }
            try connection.contacts.delete(contact.id, app: app.id)
            return contact.id
        }
    }

    /// Erases a person: the contact, its devices and what they sent, its former keys, and its name in audiences and
    /// comments. The devices are turned away from then on.
    ///
    /// A contact with very many devices, former keys or data needs several writes; the contact itself is removed in the
    /// last. If the call is interrupted, repeating it continues the erasure with the same receipt. Meanwhile the
    /// contact gets no new devices and no other names, so that the work cannot grow.
    package func erase(_ key: String, app: AppRecord) async throws -> Receipt {
        try await erase(.key(key), app: app)
    }

    /// Erases a person who is named by a key, a number or a party identifier. It does the same as the erasure by a
    /// contact key.
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
                // In the meantime it may have been merged into another contact, or erased by another call.
                guard let id = try Self.surviving(number, at: now, in: connection),
                    let contact = try connection.contacts.find(id: id)
                else { throw ServiceError.notFound(what: "contact", id: String(number)) }
                try connection.hold([id])
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

    /// The person whom a number stands for, after the registrations that still have something to say to them, or of them.
    static func surviving(_ number: Int64, at now: Date, in connection: any SQLConnection) throws -> Int64? {
        while let id = try connection.contacts.surviving(number) {
            guard try ContactWordSteps.settle(naming: id, in: connection, now: now) else { return id }
        }
        return nil
    }

    /// Removes a person's names from audiences and comments.
    ///
    /// - Parameter forEachPage: calls its argument with each page of names.
    private func forgetNames(
        app: AppRecord, _ forEachPage: ((PersonNames) async throws -> Void) async throws -> Void
    ) async throws {
        // A name may be a part of another name on another page. So comments are redacted after all names that they
        // contain are known.
        var written: Set<NameRedaction.Name> = []
        try await forEachPage { names in
            try await forgetInAudiences(names, app: app)
            let found = try await inComments(names, app: app)
            written.formUnion(found)
        }
        try await forgetInComments(written, app: app)
    }

    /// The number that stands for a person, also in the audit log: the contact's, or that of a contact that was merged
    /// into it.
    package func number(of person: PersonReference, app: AppRecord) async throws -> Int64 {
        try await database.read { try AppLookup(connection: $0, app: app.id).number(of: person) }
    }

    /// What an erasure of a person would remove now. Former keys, devices and events are counted up to
    /// ``ErasablePerson/counted``, messages as far as one step of an erasure removes them.
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

    /// The receipts of an app, newest first, and the number before which the list continues.
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
    /// Such as `this contact has events and deliveries.`
    fileprivate var sentence: String {
        let held = [devices ? "a device" : nil, events ? "events" : nil, deliveries ? "deliveries" : nil]
            .compactMap(\.self).joined(separator: " and ")
        guard held.isEmpty else { return "this contact has \(held)." }
        return "devices have left more with this contact than is looked through. An erasure removes it."
    }
}
