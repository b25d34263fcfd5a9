/// The place of each table's rows when several servers hold one database together (FLEET-5).
///
/// It speaks as Citus does: distributed tables have their rows on shards, by the value of their distribution column.
/// What distributes a database goes by it, and so do the tests that judge every statement. It is here, beside the schema,
/// because whoever adds a table decides its place with it.
package enum Distribution {
    /// By what rows are distributed. Those of one owner are on one server, whatever table they are in.
    package enum Owner: Hashable, Sendable {
        case device
        case contact
        /// A text that leads to a number: the table is a directory, which nothing is joined with.
        case text
    }

    package enum Place: Hashable, Sendable {
        /// On shards, by the number of its owner, or by the text, which is in the column.
        case distributed(by: Owner, column: String)
        /// A complete copy on each server, since statements about devices and contacts join the table.
        case reference
        /// On the coordinator, to which programs connect.
        case local
    }

    /// The place of each table of the schema, except tables made for apps (``place(of:)``).
    package static let tables: [String: Place] = [
        "devices": .distributed(by: .device, column: "id"),
        "badges": .distributed(by: .device, column: "device_id"),
        "center_engagement": .distributed(by: .device, column: "device_id"),
        "contact_links": .distributed(by: .device, column: "device_id"),
        "deliveries": .distributed(by: .device, column: "device_id"),
        "device_openings": .distributed(by: .device, column: "device_id"),
        "dormant_devices": .distributed(by: .device, column: "id"),
        "events": .distributed(by: .device, column: "device_id"),
        "in_app_clicks": .distributed(by: .device, column: "device_id"),
        "in_app_copies": .distributed(by: .device, column: "device_id"),
        "in_app_not_shown": .distributed(by: .device, column: "device_id"),
        "refresh_tokens": .distributed(by: .device, column: "device_id"),
        "registrations": .distributed(by: .device, column: "device_id"),
        "silent_pushes": .distributed(by: .device, column: "device_id"),
        "takeover_offers": .distributed(by: .device, column: "device_id"),

        "contacts": .distributed(by: .contact, column: "id"),
        "center_messages": .distributed(by: .contact, column: "contact_id"),
        "contact_openings": .distributed(by: .contact, column: "contact_id"),
        "contact_tags": .distributed(by: .contact, column: "contact_id"),
        "former_devices": .distributed(by: .contact, column: "contact_id"),
        "rich_confirmations": .distributed(by: .contact, column: "contact_id"),

        "apps": .reference,
        "campaigns": .reference,
        "center_contents": .reference,
        "in_app_clocks": .reference,
        "message_centers": .reference,

        "admin_keys": .local,
        "attribute_reviews": .local,
        "attributes": .local,
        "audit_log": .local,
        "batches": .local,
        "campaign_approvals": .local,
        "campaign_comments": .local,
        "campaign_outcomes": .local,
        "campaign_sums": .local,
        "campaign_versions": .local,
        "consent_days": .local,
        "contact_followings": .local,
        "credentials": .local,
        "day_sums": .local,
        "erased_devices": .local,
        "erasures": .local,
        "event_moves": .local,
        "idempotent_answers": .local,
        "registration_groups": .local,
        "rehearsal_pages": .local,
        "rehearsals": .local,
        "removed_attributes": .local,
        "schema_version": .local,
        "user_roles": .local,
        "user_sessions": .local,
        "users": .local,
        "work_attempts": .local,
    ]

    /// Tables in which a text leads to a number, so that one shard is asked where all would be. There are none where one
    /// server has the whole database.
    package static let directories: [String: Place] = [
        "client_ids": .distributed(by: .text, column: "client_hash"),
        "contact_keys": .distributed(by: .text, column: "contact_key"),
        "push_tokens": .distributed(by: .text, column: "token_hash"),
    ]

    /// What registrations say to contacts (``ContactWordRepository``). There are none where one server has the whole
    /// database.
    package static let words: [String: Place] = [
        "contact_words": .distributed(by: .device, column: "device_id"),
        "known_words": .distributed(by: .contact, column: "contact_id"),
    ]

    /// The tables that a distributed database alone has.
    package static let added = directories.merging(words) { own, _ in own }

    /// The table that has Citus prepare commits.
    private static let preparedCommits = "prepared_commits"

    /// Nil for a table that is none of the schema's. Each app has an audience table of its own.
    package static func place(of table: String) -> Place? {
        let audience = "audience_"
        if table.hasPrefix(audience), table.utf8.dropFirst(audience.utf8.count).allSatisfy(isDigit) {
            return .distributed(by: .device, column: "device_id")
        }
        return tables[table] ?? added[table] ?? (table == preparedCommits ? .local : nil)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
