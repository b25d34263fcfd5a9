import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Everything that is known of a person (ADM-4). It is read in pages, each in a view of the store of its own, so that
/// memory stays flat and no view is held however much it is.
package struct ContactExport: Sendable {
    /// A few entries of one kind; the kinds come in this order.
    package enum Part: Sendable {
        /// Those that have left are named only.
        case devices([Device])
        case events([Event])
        case messages([Message])
        case deliveries([Delivery])
        case inAppMessages([InAppMessage])
    }

    /// A message as the layers above hand it on.
    package typealias Message = StoredMessage

    package struct Device: Sendable {
        package let client: DeviceID
        /// Nil for a device that has left: it is somebody else's by now.
        package let device: DeviceRow?
        package let badge: Badge?
    }

    package struct Event: Sendable {
        package let client: DeviceID
        package let event: StoredEvent
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
    }

    /// How many devices are read at once.
    static let devicesAtOnce = 100
    /// The same of everything that is short.
    static let rowsAtOnce = 500
    /// The same of messages, which may have long pages.
    static let messagesAtOnce = 10

    let database: any SQLDatabase
    let app: AppRecord
    package let contact: ContactRow
    /// Its former keys, and those of the server's own that became it.
    package let aliases: [String]
    package let tags: [String]
    /// The contact, and those that became it: rows may still name them.
    let numbers: [Int64]

    /// Hands on all of it, part by part.
    package func forEachPart(_ body: (Part) async throws -> Void) async throws {
        try await devices(body)
        try await forEachDevice { try await events(of: $0, body) }
        try await messages(body)
        try await forEachDevice { try await deliveries(of: $0, body) }
        try await forEachDevice { try await inAppMessages(of: $0, body) }
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
                aliases: try connection.contacts.aliases(of: contact.id, known: false, limit: .max),
                tags: try connection.contacts.tags(of: contact.id),
                numbers: [contact.id] + (try connection.contacts.merged(into: contact.id))
            )
        }
    }
}

extension ContactExport {
    /// A device that may have something of the person.
    private struct Source: Sendable {
        let id: Int64
        let client: DeviceID
        let isPresent: Bool
    }

    private func devices(_ body: (Part) async throws -> Void) async throws {
        let contact = contact.id
        try await pages(of: Self.devicesAtOnce, after: Int64(0)) { position in
            let page = try await database.read { connection in
                try connection.people.devices(of: contact, after: position, limit: Self.devicesAtOnce).map {
                    (row: $0, badge: try connection.badges.find(device: $0.id))
                }
            }
            try await body(.devices(page.map { Device(client: $0.row.client, device: $0.row, badge: $0.badge) }))
            return (page.count, page.last?.row.id)
        }
        try await formerDevices { page in
            try await body(.devices(page.map { Device(client: $0.client, device: nil, badge: nil) }))
        }
    }

    private func formerDevices(_ body: ([(id: Int64, client: DeviceID)]) async throws -> Void) async throws {
        let (contact, app) = (contact.id, app.id)
        try await pages(of: Self.devicesAtOnce, after: Int64(0)) { position in
            let page = try await database.read {
                try $0.people.formerDevices(of: contact, app: app, after: position, limit: Self.devicesAtOnce)
            }
            try await body(page)
            return (page.count, page.last?.id)
        }
    }

    private func forEachDevice(_ body: (Source) async throws -> Void) async throws {
        let contact = contact.id
        try await pages(of: Self.devicesAtOnce, after: Int64(0)) { position in
            let page = try await database.read {
                try $0.people.devices(of: contact, after: position, limit: Self.devicesAtOnce)
                    .map { Source(id: $0.id, client: $0.client, isPresent: true) }
            }
            for device in page { try await body(device) }
            return (page.count, page.last?.id)
        }
        try await formerDevices { page in
            for device in page { try await body(Source(id: device.id, client: device.client, isPresent: false)) }
        }
    }

    private func events(of source: Source, _ body: (Part) async throws -> Void) async throws {
        let numbers = numbers
        try await pages(of: Self.rowsAtOnce, after: "") { position in
            let page = try await database.read {
                try $0.people.events(
                    of: source.id, contacts: numbers, withNobodys: source.isPresent, after: position,
                    limit: Self.rowsAtOnce
                )
            }
            try await body(.events(page.map { Event(client: source.client, event: $0) }))
            return (page.count, page.last?.event.eventID)
        }
    }

    private func messages(_ body: (Part) async throws -> Void) async throws {
        let contact = contact
        for holder in try await database.read({ try $0.holders(of: contact) }) {
            try await pages(of: Self.messagesAtOnce, after: StoredMessage.Position?.none) { position in
                let page = try await database.read {
                    try $0.people.messages(of: holder.number, after: position, limit: Self.messagesAtOnce)
                }
                try await body(.messages(page))
                return (page.count, page.last.map { $0.position as StoredMessage.Position? })
            }
        }
    }

    private func deliveries(of source: Source, _ body: (Part) async throws -> Void) async throws {
        let (numbers, app) = (numbers, app.id)
        try await pages(of: Self.rowsAtOnce, after: Int64.max) { position in
            let page = try await database.read { connection -> [Delivery] in
                let rows = try connection.people.deliveries(
                    of: source.id, contacts: numbers, app: app, before: position, limit: Self.rowsAtOnce
                )
                let campaigns = try connection.people.campaigns(rows.map(\.campaign))
                return try rows.map { row in
                    Delivery(
                        client: source.client, delivery: row, campaign: campaigns[row.campaign],
                        engagement: try connection.centerEngagement.find(campaign: row.campaign, device: source.id)
                    )
                }
            }
            try await body(.deliveries(page))
            return (page.count, page.last?.delivery.campaign.number)
        }
    }

    private func inAppMessages(of source: Source, _ body: (Part) async throws -> Void) async throws {
        let numbers = numbers
        try await pages(of: Self.rowsAtOnce, after: (campaign: Int64(0), contact: Int64(0))) { position in
            let page = try await database.read { connection -> [InAppMessage] in
                let rows = try connection.people.inAppMessages(
                    of: source.id, contacts: numbers, after: position, limit: Self.rowsAtOnce
                )
                let campaigns = try connection.people.campaigns(rows.map(\.campaign))
                return rows.map {
                    InAppMessage(client: source.client, message: $0, campaign: campaigns[$0.campaign])
                }
            }
            try await body(.inAppMessages(page))
            return (page.count, page.last.map { ($0.message.campaign.number, $0.message.contact) })
        }
    }

    /// Reads page after page until one is not full.
    ///
    /// - Parameter page: reads what follows a position; returns how many entries it has, and the position of the last.
    private func pages<Position: Sendable>(
        of size: Int, after start: Position, _ page: (Position) async throws -> (count: Int, last: Position?)
    ) async throws {
        var position = start
        while true {
            let (count, last) = try await page(position)
            guard count == size, let last else { return }
            position = last
        }
    }
}
