import BelfryModel
import BelfryServerModel
import Foundation

/// Data of a person's devices beside events and messages, for an export (ADM-4).
extension PersonRepository {
    /// The registrations of a device while it belonged to a person, by revision. The device's contact is known since
    /// links are recorded.
    ///
    /// - Parameter withUnknown: whether earlier registrations belong to the person as well.
    package func registrations(
        of device: Int64, person contact: Int64, withUnknown: Bool, after place: (revision: Int64, id: Int64),
        limit: Int
    ) throws -> [RegistrationRow] {
        guard try !connection.endedInstallations.contains(device) else { return [] }
        let owner = ContactLinkRepository.owner(of: "r.device_id", at: "r.received_at")
        let person = try isPart("coalesce((\(owner)), ?)", of: contact, onDevice: device)
        return try connection.query(
            """
            SELECT \(RegistrationRow.Column.selectList(of: "r")) FROM registrations r
            WHERE r.device_id = ? AND (r.revision, r.id) > (?, ?)
                AND \(person.sql)
            ORDER BY r.revision, r.id LIMIT ?
            """,
            [
                .integer(device), .integer(place.revision), .integer(place.id),
                .integer(withUnknown ? contact : 0),
            ] + person.arguments + [.integer(limit)],
            RegistrationRow.init
        )
    }

    /// The condition that the contact in an expression, the person's own or one that the device has had, is the person's.
    private func isPart(_ owner: SQLText, of contact: Int64, onDevice device: Int64) throws -> SQLFragment {
        guard connection.dialect.isDistributed else { return ContactPartRepository.isPart(owner, of: contact) }
        let parts = try connection.contactLinks.parts(of: contact, onDevices: [device])
        return try connection.contactParts.isPart(owner, of: contact, among: [contact] + parts.keys)
    }

    /// The selected values of an ``InAppTally``, from any of its tables.
    private enum WordPlace: Int, ResultPlace {
        case campaign, contact, word, count
    }

    /// How often each button of some in-app messages was pressed on a device, and how often each reason kept them from
    /// being shown.
    package func inAppWords(
        of device: Int64, person contact: Int64, campaigns: [CampaignID]
    ) throws -> InAppWordCounts {
        guard !campaigns.isEmpty else { return InAppWordCounts() }
        func counts(_ tally: InAppTally) throws -> [InAppDeviceStateKey: [String: Int]] {
            var counts: [InAppDeviceStateKey: [String: Int]] = [:]
            let place: [SQLValue] = [.integers(campaigns.map(\.number)), .integer(device)]
            let areThese: SQLText = "campaign_id IN (\(connection.dialect.integers)) AND device_id = ?"
            let isTheirs = try connection.contactParts.isPart(
                "contact_id", of: contact,
                among: SQLFragment("SELECT DISTINCT contact_id FROM \(tally.table) WHERE \(areThese)", place)
            )
            let rows = try connection.query(
                """
                SELECT campaign_id, contact_id, \(tally.word), \(tally.count) FROM \(tally.table)
                WHERE \(areThese)
                    AND \(isTheirs.sql)
                """,
                place + isTheirs.arguments
            ) { row -> (campaign: CampaignID?, contact: Int64, word: String, count: Int64) in
                let row = ResultRow<WordPlace>(row)
                return (
                    campaign: CampaignID(row.integer(.campaign)), contact: row.integer(.contact),
                    word: row.text(.word), count: row.integer(.count)
                )
            }
            for row in rows {
                guard let campaign = row.campaign else { continue }
                let key = InAppDeviceStateKey(campaign: campaign, device: device, contact: row.contact)
                counts[key, default: [:]][row.word] = Int(row.count)
            }
            return counts
        }
        return InAppWordCounts(clicks: try counts(.clicks), notShown: try counts(.notShown))
    }

    /// For whom the messages of some campaigns were placed on a device, according to the ledger: the number of the
    /// present contact, nil for an erased one. A campaign that is not in the device's ledger is missing.
    package func placing(of campaigns: [CampaignID], device: Int64) throws -> [CampaignID: Int64?] {
        let rows = try connection.query(
            """
            SELECT campaign_id, contact_id FROM deliveries
            WHERE device_id = ? AND campaign_id IN (\(connection.dialect.integers))
            """,
            [.integer(device), .integers(campaigns.map(\.number))]
        ) { (campaign: CampaignID($0.integer(0)), contact: $0.optionalInteger(1)) }
        let survivors = try connection.contacts.survivors(of: Set(rows.compactMap(\.contact)))
        return rows.reduce(into: [:]) { found, row in
            if let campaign = row.campaign { found[campaign] = .some(row.contact.flatMap { survivors[$0] }) }
        }
    }

    /// Which devices have confirmed the rich content of some messages of a contact or an installation, and when.
    package func richConfirmations(
        of holder: Int64, campaigns: [CampaignID]
    ) throws -> [CampaignID: [RichConfirmation]] {
        let rows = try connection.query(
            """
            SELECT campaign_id, device_id, confirmed_at FROM rich_confirmations
            WHERE contact_id = ? AND campaign_id IN (\(connection.dialect.integers)) ORDER BY device_id
            """,
            [.integer(holder), .integers(campaigns.map(\.number))]
        ) { (campaign: CampaignID($0.integer(0)), device: $0.integer(1), at: $0.date(2)) }
        // The devices are on other servers than the contact's rows (FLEET-5).
        let clients = try connection.devices.clients(of: Array(Set(rows.map(\.device))))
        return rows.reduce(into: [:]) { found, row in
            guard let campaign = row.campaign, let client = clients[row.device] else { return }
            found[campaign, default: []].append(RichConfirmation(client: DeviceID(stored: client), at: row.at))
        }
    }
}

/// The confirmation that a device has stored the rich content of a message.
package struct RichConfirmation: Hashable, Sendable {
    package let client: DeviceID
    package let at: Date
}

/// Counts of in-app messages on a device, by button id and by reason.
package struct InAppWordCounts: Hashable, Sendable {
    package var clicks: [InAppDeviceStateKey: [String: Int]] = [:]
    package var notShown: [InAppDeviceStateKey: [String: Int]] = [:]
}

extension InAppDeviceStateRow {
    package var key: InAppDeviceStateKey { InAppDeviceStateKey(campaign: campaign, device: device, contact: contact) }
}
