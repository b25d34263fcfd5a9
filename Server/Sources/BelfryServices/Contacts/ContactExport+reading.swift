import BelfryModel
import BelfryServerModel
import BelfryStore
import Foundation

/// Reads the parts of an export, page by page and device by device.
extension ContactExport {
    /// A device that may have data of the person.
    struct Source: Sendable {
        let id: Int64
        let client: DeviceID
        let isPresent: Bool
        /// Whether the device is not known to have had any other contact.
        let isSole: Bool

        /// - Parameter person: the contact whose data are exported.
        func device(of person: Int64, _ connection: any SQLConnection) -> PersonsDevice {
            PersonsDevice(number: id, isSole: isSole, person: person, connection: connection)
        }
    }

    func aliases(_ body: (Part) async throws -> Void) async throws {
        let contact = contact.id
        try await pages(after: Int64(0)) { position in
            let page = try await database.read {
                try $0.formerKeys.all(of: contact, after: position, limit: Self.namesAtOnce)
            }
            try await body(.aliases(page.map(\.key)))
            return (page.count == Self.namesAtOnce, page.last?.number)
        }
    }

    func tags(_ body: (Part) async throws -> Void) async throws {
        let contact = contact.id
        try await pages(after: "") { position in
            let page = try await database.read {
                try $0.contactTags.list(of: contact, after: position, limit: Self.namesAtOnce)
            }
            try await body(.tags(page))
            return (page.count == Self.namesAtOnce, page.last)
        }
    }

    func devices(_ body: (Part) async throws -> Void) async throws {
        let contact = contact.id
        try await pages(after: Int64(0)) { position in
            let (devices, hasMore) = try await database.read { connection in
                let page = try connection.people.devices(of: contact, after: position, limit: Self.devicesAtOnce)
                let devices = try page.devices.map {
                    Device(client: $0.client, device: $0, badge: try connection.badges.find(device: $0.id))
                }
                return (devices, page.hasMore)
            }
            try await body(.devices(devices))
            return (hasMore, devices.last?.device?.id)
        }
        try await formerDevices { page in
            try await body(.devices(page.map { Device(client: $0.client, device: nil, badge: nil) }))
        }
    }

    private func formerDevices(_ body: ([(id: Int64, client: DeviceID)]) async throws -> Void) async throws {
        let (contact, app) = (contact.id, app.id)
        try await pages(after: Int64(0)) { position in
            let page = try await database.read {
                try $0.people.formerDevices(of: contact, app: app, after: position, limit: Self.devicesAtOnce)
            }
            try await body(page)
            return (page.count == Self.devicesAtOnce, page.last?.id)
        }
    }

    func forEachDevice(_ body: (Source) async throws -> Void) async throws {
        let person = contact.id
        try await pages(after: Int64(0)) { position in
            let (sources, hasMore) = try await database.read { connection in
                let page = try connection.people.devices(of: person, after: position, limit: Self.devicesAtOnce)
                let devices = page.devices.map(OwnedDevice.init)
                let theirs = try connection.contactParts.all(of: person, among: devices.flatMap(\.formerContacts))
                let sources = devices.map {
                    Source(id: $0.id, client: $0.client, isPresent: true, isSole: $0.isSole(of: theirs))
                }
                return (sources, page.hasMore)
            }
            for device in sources { try await body(device) }
            return (hasMore, sources.last?.id)
        }
        try await formerDevices { page in
            for device in page {
                try await body(Source(id: device.id, client: device.client, isPresent: false, isSole: false))
            }
        }
    }

    func events(of source: Source, _ body: (Part) async throws -> Void) async throws {
        let person = contact.id
        try await pages(after: "") { position in
            let (page, isCut) = try await database.read {
                try $0.people.events(
                    of: source.id, person: person, withNobodys: source.isPresent, after: position,
                    limit: Self.rowsAtOnce, maximumBytes: Self.eventBytesAtOnce
                )
            }
            try await body(.events(page.map { Event(client: source.client, event: $0) }))
            return (isCut, page.last?.eventID)
        }
    }

    /// Exports the messages of a known contact. The messages of an anonymous one are in the inboxes of its
    /// installations.
    func messages(_ body: (Part) async throws -> Void) async throws {
        guard contact.known else { return }
        try await messages(in: .contact(contact.id), client: nil, { page, _ in page }, body)
    }

    /// Exports the person's messages in the own inbox of a device (MC-15).
    func inbox(of source: Source, _ body: (Part) async throws -> Void) async throws {
        let person = contact.id
        try await messages(
            in: .installation(source.id), client: source.client,
            { page, connection in
                guard try !connection.endedInstallations.contains(source.id) else { return [] }
                let theirs = try source.device(of: person, connection).theirs(among: page.map(\.place))
                return page.filter { theirs.contains($0.message.campaign) }
            }, body
        )
    }

    private func messages(
        in holder: MessageHolder, client: DeviceID?,
        _ filter: @escaping @Sendable ([StoredMessage], any SQLConnection) throws -> [StoredMessage],
        _ body: (Part) async throws -> Void
    ) async throws {
        try await pages(after: StoredMessage.Position?.none) { position in
            let (messages, count, last) = try await database.read { connection in
                let page = try connection.people.messages(
                    of: holder.number, after: position, limit: Self.messagesAtOnce
                )
                let found = try filter(page, connection)
                let confirmations = try connection.people.richConfirmations(
                    of: holder.number, campaigns: found.map(\.message.campaign)
                )
                let messages = found.map {
                    Message(client: client, stored: $0, confirmations: confirmations[$0.message.campaign] ?? [])
                }
                return (messages, page.count, page.last?.position)
            }
            try await body(.messages(messages))
            return (count == Self.messagesAtOnce, last.map { $0 as StoredMessage.Position? })
        }
    }

    func deliveries(of source: Source, _ body: (Part) async throws -> Void) async throws {
        let (person, app) = (contact.id, app.id)
        try await pages(after: Int64.max) { position in
            let page = try await database.read { connection -> [Delivery] in
                let rows = try connection.people.deliveries(
                    of: source.id, person: person, app: app, before: position, limit: Self.rowsAtOnce
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
            return (page.count == Self.rowsAtOnce, page.last?.delivery.campaign.number)
        }
    }

    func inAppMessages(of source: Source, _ body: (Part) async throws -> Void) async throws {
        let person = contact.id
        try await pages(after: (campaign: Int64(0), contact: Int64(0))) { position in
            let page = try await database.read { connection -> [InAppMessage] in
                let rows = try connection.people.inAppMessages(
                    of: source.id, person: person, after: position, limit: Self.rowsAtOnce
                )
                let ids = rows.map(\.campaign)
                let campaigns = try connection.people.campaigns(ids)
                let words = try connection.people.inAppWords(of: source.id, person: person, campaigns: ids)
                return rows.map {
                    InAppMessage(
                        client: source.client, message: $0, campaign: campaigns[$0.campaign],
                        clicksByButton: words.clicks[$0.key] ?? [:], timesNotShown: words.notShown[$0.key] ?? [:]
                    )
                }
            }
            try await body(.inAppMessages(page))
            return (
                page.count == Self.rowsAtOnce, page.last.map { ($0.message.campaign.number, $0.message.contact) }
            )
        }
    }

    /// Reads page after page until the last one.
    ///
    /// - Parameter page: reads the page after a position; returns whether there may be more, and the position of the
    ///   last entry.
    func pages<Position: Sendable>(
        after start: Position, _ page: (Position) async throws -> (hasMore: Bool, last: Position?)
    ) async throws {
        var position = start
        while true {
            let (hasMore, last) = try await page(position)
            guard hasMore, let last else { return }
            position = last
        }
    }
}
