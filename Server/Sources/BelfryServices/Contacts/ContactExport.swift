import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Everything that is known of a person (ADM-4). It is read in pages, each in a view of the store of its own, so that
/// memory stays flat and no view is held however much it is.
package struct ContactExport: Sendable {
    /// A few entries of one kind; the kinds come in this order.
    package enum Part: Sendable {
        /// Its former keys, and those of the server's own that became it.
        case aliases([String])
        case tags([String])
        /// Those that have left are named only.
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
        /// In whose own inbox it is, for nobody was logged in on it when it came; nil: in the contact's (MC-15).
        package let client: DeviceID?
        package let stored: StoredMessage
        /// Devices that have stored its rich content.
        package let confirmations: [RichConfirmation]
    }

    package struct Device: Sendable {
        package let client: DeviceID
        /// Nil for a device that has left: it is somebody else's by now.
        package let device: DeviceRow?
        package let badge: Badge?
    }

    /// Why a device came or left, as the layers above hand it on.
    package typealias LinkCause = ContactLinkCause

    /// The device came to the person, or left.
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
        /// By the buttons' ids.
        package let clicksByButton: [String: Int]
        /// By the reasons' words.
        package let timesNotShown: [String: Int]
    }

    /// What a rehearsal has found for a device of the person (CON-12).
    package struct Rehearsed: Sendable {
        package let client: DeviceID
        package let campaign: CampaignID
        package let rehearsal: Int64
        package let outcome: RehearsedOutcome
        /// When it would leave, or end.
        package let at: Date
    }

    /// How many devices are read at once; fewer where they have said much.
    static let devicesAtOnce = 100
    /// The same of everything that is short, and of events.
    static let rowsAtOnce = 500
    /// Bytes of events' attributes behind which no more are read at once: each event may have 64 KiB (SEC-2).
    static let eventBytesAtOnce = 4 << 20
    /// How many former keys and tags are read at once.
    static let namesAtOnce = 2_000
    /// The same of messages, which may have long pages.
    static let messagesAtOnce = 10
    /// The same of registrations, whose snapshots may have a megabyte.
    static let registrationsAtOnce = 10
    /// The same of links.
    static let recordsAtOnce = 200

    let database: any SQLDatabase
    let app: AppRecord
    package let contact: ContactRow
    /// When each attribute was set, in milliseconds.
    package let attributeTimes: [String: Int64]

    /// Hands on all of it, part by part.
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
    /// Finds the person whose data are asked for.
    package func export(_ key: String, app: AppRecord) async throws -> ContactExport {
        try await export(.key(key), app: app)
    }

    /// The same for a person who is named in whatever way.
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
