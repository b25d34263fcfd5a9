import BelfryModel
import BelfryServerModel
import Foundation

/// The steps of an erasure; the service combines them in one transaction (REG-36).
extension ContactRepository {
    /// Deletes the contact, its messages and tags, the record of devices that have left it, and its redirects.
    package func delete(_ id: Int64, app: Int64) throws {
        try connection.centerMessages.erase(contact: id)
        try connection.execute("DELETE FROM contact_tags WHERE contact_id = ?", [.integer(id)])
        try connection.formerDevices.deleteAll(of: id, app: app)
        // An orphan has no more merged contacts than this, and an erasure has already deleted most of them
        // (``deleteParts(of:keeping:limit:)``).
        let parts = try connection.contactParts.merged(into: id, limit: OrphanedContactRepository.maximumParts)
        try connection.contactLinks.deleteAll(ofContacts: [id] + parts)
        try connection.openings.forgetContacts(mergedInto: id)
        try connection.openings.forget(.contact, id)
        try remove(by: "DELETE FROM contacts WHERE merged_into = ?", [.integer(id)])
        try remove(by: "DELETE FROM contacts WHERE id = ?", [.integer(id)])
        try connection.audiences.forget(contact: id, app: app)
        // A walk over its rows that is in quarantine has nothing left to do, and ends.
        try connection.workAttempts.remove(.contactFollowing(id))
    }

    /// Deletes rows of which a contact may have any number, at most so many of each kind: its tags, the confirmations
    /// of its messages, the links of its devices, and the contacts that were merged into it. Of these the anonymous
    /// ones are deleted first. The keys of the others stay until the end, unless there are too many.
    ///
    /// - Parameter named: a merged contact that stays until the end, since the caller may repeat the request with its
    ///   key.
    /// - Returns: whether so little is left that ``delete(_:app:)`` is quick.
    package func deleteParts(of id: Int64, keeping named: Int64, limit: Int) throws -> Bool {
        let tags = try deleteFirst(limit, of: id, in: "contact_tags", by: ["tag", "device_id"]) {
            [.text($0.text(0)), .integer($0.integer(1))]
        }
        let confirmations = try deleteConfirmations(of: id, limit: limit)
        let links = try deleteFirst(limit, of: id, in: "contact_links", by: ["at", "device_id", "began"]) {
            [.integer($0.integer(0)), .integer($0.integer(1)), .integer($0.integer(2))]
        }
        let parts = try connection.contactParts.deleteAnonymous(mergedInto: id, except: named, limit: limit)
        guard [tags, confirmations, links, parts].allSatisfy({ $0 < limit }) else { return false }
        return try connection.contactParts.deleteKnown(mergedInto: id, except: named, limit: limit)
    }

    /// Deletes the first confirmations of a contact's messages; returns how many. The limit is needed since each of its
    /// devices may have confirmed each of them.
    package func deleteConfirmations(of id: Int64, limit: Int) throws -> Int {
        try deleteFirst(limit, of: id, in: "rich_confirmations", by: ["campaign_id", "device_id"]) {
            [.integer($0.integer(0)), .integer($0.integer(1))]
        }
    }

    /// Deletes the first rows of a contact in a table; returns how many. Each row is found by its key: with a list of
    /// keys, PostgreSQL would scan all rows of a contact that has most of the table.
    ///
    /// - Parameters:
    ///   - columns: the columns of the key after the contact.
    ///   - key: reads their values.
    private func deleteFirst(
        _ limit: Int, of contact: Int64, in table: SQLText, by columns: [SQLText], _ key: (any SQLRow) -> [SQLValue]
    ) throws -> Int {
        let names = columns.joined(by: ", ")
        let keys = try connection.query(
            "SELECT \(names) FROM \(table) WHERE contact_id = ? ORDER BY \(names) LIMIT ?",
            [.integer(contact), .integer(limit)], key
        )
        let isKey = columns.map { column -> SQLText in "\(column) = ?" }.joined(by: " AND ")
        return try connection.executeEach(
            "DELETE FROM \(table) WHERE contact_id = ? AND \(isKey)", keys.map { [.integer(contact)] + $0 }
        )
    }
}

extension DeviceRepository {
    /// Deletes the device, dormant or not, its tokens, its badge, its in-app messages and its waiting silent pushes.
    /// Data that may be large is deleted in steps: its events, the installation's inbox and its registrations (SEC-2).
    package func delete(_ id: Int64) throws {
        // This must come first, since it reads the device's app.
        try connection.rehearsals.forget(device: id)
        try connection.badges.delete(device: id)
        try connection.inAppDeviceStates.erase(device: id)
        try connection.execute("DELETE FROM silent_pushes WHERE device_id = ?", [.integer(id)])
        try connection.workAttempts.remove(.silentPush(device: id))
        try connection.execute("DELETE FROM takeover_offers WHERE device_id = ?", [.integer(id)])
        try connection.execute("DELETE FROM refresh_tokens WHERE device_id = ?", [.integer(id)])
        try connection.audiences.delete(device: id)
        try connection.contactLinks.deleteAll(ofDevice: id)
        try connection.openings.forget(.device, id)
        try connection.contactWords?.deleteAll(ofDevice: id)
        let entries = try directory?.entries(of: id)
        try connection.execute("DELETE FROM devices WHERE id = ?", [.integer(id)])
        try connection.execute("DELETE FROM dormant_devices WHERE id = ?", [.integer(id)])
        if let directory, let entries { try directory.remove(entries) }
    }
}

extension RegistrationRepository {
    /// Replaces the attributes and tags of a snapshot, after those that must not be kept were removed.
    package func replace(snapshot: String, of key: RegistrationKey) throws {
        try connection.execute(
            "UPDATE registrations SET snapshot = ? WHERE \(RegistrationKey.condition)",
            [.text(snapshot)] + key.arguments
        )
    }

    package func delete(_ key: RegistrationKey) throws {
        try connection.workAttempts.remove(.registration(key.id))
        try connection.execute("DELETE FROM registrations WHERE \(RegistrationKey.condition)", key.arguments)
    }
}

extension CampaignRepository {
    /// Campaigns of an app whose content, or a version of it, may name contacts or devices, ordered by number, after a
    /// given one.
    package func namingPeople(app: Int64, after number: Int64, limit: Int) throws -> [CampaignID] {
        try connection.query(
            Self.namingPeopleSQL(connection.dialect),
            [.integer(app), .integer(number), .integer(app), .integer(limit)]
        ) { CampaignID($0.integer(0)) }.compactMap(\.self)
    }

    /// Its arguments are the app, the number before, the app again, and the limit.
    package static func namingPeopleSQL(_ dialect: any Dialect) -> SQLText {
        """
        SELECT id FROM campaigns
        WHERE \(dialect.isArgument("app_id")) AND id > ?
            AND (content LIKE '%"contactKeys"%' OR content LIKE '%"deviceIds"%' OR content LIKE '%"party"%' OR id IN
                (SELECT campaign_id FROM campaign_versions WHERE app_id = ? AND names_people = 1))
        ORDER BY app_id, id LIMIT ?
        """
    }

    /// Replaces a campaign's content by the same content with another audience, whatever the campaign's status.
    package func replaceAudience(_ draft: CampaignDraft, of id: CampaignID) throws {
        try connection.execute(
            "UPDATE campaigns SET content = ? WHERE id = ?", [.text(try JSONText.encode(draft)), .integer(id.number)]
        )
    }
}

extension MessageCenterMessageRepository {
    /// How many messages a contact has, including those that it may not see.
    package func count(of contact: Int64) throws -> Int {
        try connection.first("SELECT count(*) FROM center_messages WHERE contact_id = ?", [.integer(contact)]) {
            Int($0.integer(0))
        } ?? 0
    }
}
