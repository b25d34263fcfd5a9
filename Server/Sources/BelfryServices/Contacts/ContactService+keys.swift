import BelfryModel
import BelfryStore
import Foundation

/// Renames and merges contacts for an operator (ADM-5). Repeating a call changes nothing, because the former key is an
/// alias then.
extension ContactService {
    /// Gives a contact another key. An anonymous contact becomes a known one.
    ///
    /// - Parameter field: the field of the new key, for errors.
    package func rename(_ key: String, to raw: String, field: String, app: AppRecord) async throws -> ContactRow {
        let new = try Self.key(raw, field: field).rawValue
        let now = environment.now()
        return try await database.write { connection in
            let lookup = AppLookup(connection: connection, app: app.id)
            var (contact, isAlias) = try lookup.holder(of: key)
            while try ContactWordSteps.settle(naming: contact.id, in: connection, now: now) {
                (contact, isAlias) = try lookup.holder(of: key)
            }
            try Self.rejectErasing(contact, connection)
            if contact.key.utf8.elementsEqual(new.utf8) { return contact }
            guard !isAlias else {
                throw ServiceError.conflict(
                    message: "'\(key)' is a former key: the contact is '\(contact.key)' now. Use that key."
                )
            }
            if let other = try connection.contacts.holder(of: new, app: app.id), other.contact.id != contact.id {
                throw ServiceError.conflict(
                    message: other.isAlias
                        ? "'\(new)' is a former key of the contact '\(other.contact.key)'. Use another key."
                        : "There is already a contact '\(new)'. Merge the two, or use another key."
                )
            }
            return try connection.contacts.rename(contact, to: new, now: now)
        }
    }

    /// Merges a contact into another one, whose key remains.
    ///
    /// A contact with many devices needs several writes. If the call is interrupted, repeating it continues the merge.
    ///
    /// - Parameter field: the field of the other contact, for errors.
    /// - Returns: the remaining contact, and how many devices it got by this call.
    package func merge(
        _ key: String, into other: String, field: String, app: AppRecord
    ) async throws -> (contact: ContactRow, devices: Int) {
        let now = environment.now()
        let (from, into) = try await database.read { connection in
            try Self.pair(key, other, field: field, AppLookup(connection: connection, app: app.id))
        }
        var devices = 0
        while true {
            let step = try await database.write {
                [environment] connection -> (contact: ContactRow, devices: Int, isDone: Bool) in
                let survivor = try Self.surviving(from, at: now, in: connection)
                guard let target = try connection.contacts.surviving(into),
                    let other = try connection.contacts.find(id: target)
                else { throw ServiceError.notFound(what: "contact", id: other) }
                guard survivor == from, from != other.id, let contact = try connection.contacts.find(id: from)
                else { return (other, 0, true) }
                try connection.hold([from, other.id])
                for row in [contact, other] { try Self.rejectErasing(row, connection) }
                let merge = ContactMerge(
                    connection: connection, contact: contact, other: other, now: now, time: StepTime(environment)
                )
                let step = try merge.step()
                return (try connection.contacts.find(id: other.id) ?? other, step.devices, step.isDone)
            }
            devices += step.devices
            if step.isDone { return (step.contact, devices) }
        }
    }

    /// The numbers of the two contacts. If the first is already merged into the other, both are the same.
    private static func pair(
        _ key: String, _ other: String, field: String, _ lookup: AppLookup
    ) throws -> (from: Int64, into: Int64) {
        let from = try lookup.holder(of: key)
        let into = try lookup.holder(of: other)
        guard from.contact.id != into.contact.id else {
            guard from.isAlias else {
                throw ServiceError.invalid(
                    field, "sameContact", "'\(other)' is this contact itself. Name the contact that is to remain."
                )
            }
            return (from.contact.id, into.contact.id)
        }
        guard !from.isAlias else {
            throw ServiceError.conflict(
                message: "'\(key)' is a former key: the contact is '\(from.contact.key)' now. Merge that one."
            )
        }
        guard into.contact.known else {
            throw ServiceError.conflict(message: "'\(other)' is anonymous. Merge it into a known contact instead.")
        }
        return (from.contact.id, into.contact.id)
    }

    /// Throws if a contact is being erased in steps. Such a contact gets no other key and no other devices, and is not
    /// removed before its erasure has ended, because the erasure would not notice.
    static func rejectErasing(_ contact: ContactRow, _ connection: any SQLConnection) throws {
        guard try connection.erasures.isUnderWay(of: contact.id) else { return }
        throw ServiceError.conflict(
            message: "'\(contact.key)' is being erased. If that was interrupted, erase the contact again."
        )
    }

    private static func key(_ raw: String, field: String) throws(ServiceError) -> ContactKey {
        do {
            return try ContactKey(raw)
        } catch {
            throw .invalid(field: field, error)
        }
    }
}
