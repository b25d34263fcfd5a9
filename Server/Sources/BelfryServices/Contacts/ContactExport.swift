import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Exports all data about a person (ADM-4). It is read in pages, each in a database snapshot of its own, so that
/// neither memory nor a snapshot's duration grows with the data.
package struct ContactExport: Sendable {
    /// Some entries of one kind. The kinds come in this order.
    package enum Part: Sendable {
        /// The contact's former keys, including those of anonymous contacts that became it.
        case aliases([String])
        case tags([String])
        /// The devices. Of a former device only the id is exported.
        case devices([Device])
        case links([Link])
        case registrations([Registration])
        case events([Event])
        case messages([Message])
        case deliveries([Delivery])
        case inAppMessages([InAppMessage])
        case rehearsals([Rehearsed])
    }

    package struct Message: Sendable {
        /// The device in whose own inbox the message is, because nobody was logged in when it came; nil for a message
        /// in the contact's inbox (MC-15).
        package let client: DeviceID?
        package let stored: StoredMessage
        /// The devices that have stored the message's rich content.
        package let confirmations: [RichConfirmation]
    }

    package struct Device: Sendable {
        package let client: DeviceID
        /// The device's data; nil for a former device, which belongs to somebody else now.
        package let device: DeviceRow?
        package let badge: Badge?
    }

    /// Why a device came or left, as the layers above use it.
    package typealias LinkCause = ContactLinkCause

    /// A device that came to the person, or left.
    package struct Link: Sendable {
        package let client: DeviceID
        package let link: ContactLinkRow
    }

    package struct Registration: Sendable {
        package let client: DeviceID
        package let registration: RegistrationRow
    }

    package struct Event: Sendable {
        package let client: DeviceID
        package let event: EventRow
    }

    package struct Delivery: Sendable {
        package let client: DeviceID
        package let delivery: DeliveryRow
        package let campaign: CampaignSummary?
        package let engagement: MessageCenterEngagementRow?
    }

    package struct InAppMessage: Sendable {
        package let client: DeviceID
        package let message: InAppDeviceStateRow
        package let campaign: CampaignSummary?
        /// Clicks, by the id of the button.
        package let clicksByButton: [String: Int]
        /// How often the message was not shown, by the reason's word.
        package let timesNotShown: [String: Int]
    }

    /// The result of a rehearsal for a device of the person (CON-12).
    package struct Rehearsed: Sendable {
        package let client: DeviceID
        package let campaign: CampaignID
        package let rehearsal: Int64
        package let outcome: RehearsedOutcome
        /// When the message would be sent, or the delivery would end.
        package let at: Date
    }

    /// How many devices are read at a time; fewer if they have sent much.
    static let devicesAtOnce = 100
    /// How many events, or rows of a short kind, are read at a time.
    static let rowsAtOnce = 500
    /// Bytes of events' attributes after which no more are read at a time: each event may have 64 KiB (SEC-2).
    static let eventBytesAtOnce = 4 << 20
    /// How many former keys and tags are read at a time.
    static let namesAtOnce = 2_000
    /// How many messages, which may have long pages, are read at a time.
    static let messagesAtOnce = 10
    /// How many registrations, whose snapshots may have a megabyte, are read at a time.
    static let registrationsAtOnce = 10
    /// How many links are read at a time.
    static let recordsAtOnce = 200

    let database: any SQLDatabase
    let app: AppRecord
    package let contact: ContactRow
    /// When each attribute was set, in milliseconds since 1970.
    package let attributeTimes: [String: Int64]

    /// Calls `body` with each part of the export.
    package func forEachPart(_ body: (Part) async throws -> Void) async throws {
        try await aliases(body)
        try await tags(body)
        try await devices(body)
        try await forEachDevice { try await links(of: $0, body) }
        try await forEachDevice { try await registrations(of: $0, body) }
        try await forEachDevice { try await events(of: $0, body) }
        try await messages(body)
        try await forEachDevice { try await inbox(of: $0, body) }
        try await forEachDevice { try await deliveries(of: $0, body) }
        try await forEachDevice { try await inAppMessages(of: $0, body) }
        try await forEachDevice { try await rehearsals(of: $0, body) }
    }
}

extension ContactService {
    /// The export of the contact with this key.
    package func export(_ key: String, app: AppRecord) async throws -> ContactExport {
        try await export(.key(key), app: app)
    }

    /// The export of a person.
    package func export(_ person: PersonReference, app: AppRecord) async throws -> ContactExport {
        let database = database
        return try await database.read { connection in
            let contact = try AppLookup(connection: connection, app: app.id).person(person)
            return ContactExport(
                database: database, app: app, contact: contact,
                attributeTimes: try connection.contacts.attributeTimes(of: contact.id).times
            )
        }
    }
}
