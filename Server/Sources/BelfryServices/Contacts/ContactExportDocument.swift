import BelfryModel
import BelfryServerModel
import Foundation

/// Writes an export as one JSON document, part by part. What was written is not kept in memory.
package struct ContactExportDocument {
    /// The JSON before each list; the first two lists are in the contact.
    private static let openings: [String] =
        [#","aliases":["#, #","tags":["#, #"},"devices":["#]
        + ["links", "registrations", "events", "messages", "ledger", "inApp", "rehearsals"].map { #","\#($0)":["# }

    private let export: ContactExport
    private let app: AppCode
    private let now: Date
    private let encoder: JSONEncoder
    /// The index in ``openings`` of the list that is being written; -1 before the first.
    private var list = -1
    private var isEmpty = true

    package init(_ export: ContactExport, app: AppCode, at now: Date) {
        self.export = export
        self.app = app
        self.now = now
        encoder = JSONEncoder()
        // So that equal exports are equal texts.
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    }

    /// Writes the whole document.
    package mutating func write(_ body: (_ bytes: [UInt8]) async throws -> Void) async throws {
        try await body(try beginning())
        var document = self
        try await export.forEachPart { part in
            let bytes = try document.bytes(of: part)
            if !bytes.isEmpty { try await body(bytes) }
        }
        self = document
        try await body(end())
    }

    private func beginning() throws -> [UInt8] {
        let contact = try encoder.encode(ContactHead(export))
        var bytes = Array(#"{"app":"#.utf8)
        bytes += try encoder.encode(app.rawValue)
        bytes += Array(#","exportedAt":"\#(Timestamp.text(now))","contact":"#.utf8)
        // Without the closing brace: the lists follow, because they may be long.
        return bytes + contact.dropLast()
    }

    private mutating func bytes(of part: ContactExport.Part) throws -> [UInt8] {
        switch part {
        case .aliases(let aliases): try entries(aliases, in: 0)
        case .tags(let tags): try entries(tags, in: 1)
        case .devices(let devices): try entries(devices.map { ExportedDevice($0, of: export.contact.id) }, in: 2)
        case .links(let links): try entries(links.map(ExportedLink.init), in: 3)
        case .registrations(let registrations): try entries(registrations.map(ExportedRegistration.init), in: 4)
        case .events(let events): try entries(events.map(ExportedEvent.init), in: 5)
        case .messages(let messages): try entries(try messages.map(ExportedMessage.init), in: 6)
        case .deliveries(let deliveries): try entries(deliveries.map(ExportedDelivery.init), in: 7)
        case .inAppMessages(let messages): try entries(messages.map(ExportedInAppMessage.init), in: 8)
        case .rehearsals(let rehearsals): try entries(rehearsals.map(ExportedRehearsal.init), in: 9)
        }
    }

    private mutating func entries(_ entries: [some Encodable], in list: Int) throws -> [UInt8] {
        var bytes = goOn(to: list)
        for entry in entries {
            if !isEmpty { bytes.append(UInt8(ascii: ",")) }
            isEmpty = false
            bytes += try encoder.encode(entry)
        }
        return bytes
    }

    /// Closes the current list, and opens those up to another one.
    private mutating func goOn(to list: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while self.list < list {
            if self.list >= 0 { bytes.append(UInt8(ascii: "]")) }
            self.list += 1
            bytes += Array(Self.openings[self.list].utf8)
            isEmpty = true
        }
        return bytes
    }

    private mutating func end() -> [UInt8] {
        goOn(to: Self.openings.count - 1) + Array("]}".utf8)
    }
}

/// An ``ExportedContact`` without its lists.
private struct ContactHead: Encodable {
    let contactKey: String
    let known: Bool
    let partyIdentifier: PartyIdentifier?
    let attributes: [String: AttributeValue]
    let attributesSetAt: [String: String]
    let lastOpenedAt: String?
    let createdAt: String

    init(_ export: ContactExport) {
        let contact = export.contact
        contactKey = contact.key
        known = contact.known
        partyIdentifier = contact.party
        attributes = contact.attributes
        attributesSetAt = export.attributeTimes.mapValues { Timestamp.text(Date(milliseconds: $0)) }
        lastOpenedAt = contact.lastOpenedAt.map(Timestamp.text)
        createdAt = Timestamp.text(contact.createdAt)
    }
}

extension ExportedDevice {
    fileprivate init(_ entry: ContactExport.Device, of contact: Int64) {
        let device = entry.device
        self.init(
            deviceId: entry.client.rawValue, isPresent: device != nil, pushToken: device?.pushToken?.value,
            pushProvider: device?.pushToken?.provider, pushEnvironment: device?.pushToken?.environment,
            pushEnabled: device?.pushEnabled, osPushEnabled: device?.osPushEnabled,
            optOut: device?.optOut.map { .init(reason: $0.reason, at: Timestamp.text($0.at)) },
            system: device?.system,
            attributes: device?.applied.flatMap { $0.contact == contact ? $0.attributes : nil },
            badge: entry.badge?.count, lastOpenedAt: device?.lastOpenedAt.map(Timestamp.text),
            createdAt: device.map { Timestamp.text($0.createdAt) },
            updatedAt: device.map { Timestamp.text($0.updatedAt) }
        )
    }
}

extension ExportedLink {
    fileprivate init(_ entry: ContactExport.Link) {
        self.init(
            deviceId: entry.client.rawValue, at: Timestamp.text(entry.link.at), began: entry.link.began,
            cause: entry.link.cause, known: entry.link.isKnown
        )
    }
}

extension ExportedRegistration {
    fileprivate init(_ entry: ContactExport.Registration) {
        let row = entry.registration
        self.init(
            deviceId: entry.client.rawValue, id: row.registrationID, revision: row.revision,
            receivedAt: Timestamp.text(row.receivedAt), status: row.status, rejected: row.rejected,
            // A snapshot that cannot be read is left out.
            said: try? CheckedJSON.decode(JSONObject.self, from: Data(row.snapshot.utf8))
        )
    }
}

extension ExportedRehearsal {
    fileprivate init(_ entry: ContactExport.Rehearsed) {
        self.init(
            deviceId: entry.client.rawValue, campaign: entry.campaign.description, rehearsal: String(entry.rehearsal),
            state: entry.outcome.state, reason: entry.outcome.reason?.rawValue, at: Timestamp.text(entry.at)
        )
    }
}

extension ExportedEvent {
    fileprivate init(_ entry: ContactExport.Event) {
        let event = entry.event
        self.init(
            deviceId: entry.client.rawValue, id: event.eventID, type: event.kind, name: event.name,
            timestamp: Timestamp.text(event.deviceAt ?? event.at),
            correctedTimestamp: event.deviceAt == nil ? nil : Timestamp.text(event.at),
            receivedAt: Timestamp.text(event.receivedAt), sessionId: event.sessionID,
            attributes: event.attributes
        )
    }
}

extension ExportedMessage {
    fileprivate init(_ entry: ContactExport.Message) throws {
        let (stored, message) = (entry.stored, entry.stored.message)
        // The store has the members without their braces.
        let json = Data("{".utf8) + Data(message.body) + Data("}".utf8)
        self.init(
            deviceId: entry.client?.rawValue, campaign: message.campaign.description, center: message.center.rawValue,
            sentAt: Timestamp.text(message.sentAt), expiresAt: message.expiresAt.map(Timestamp.text),
            state: message.state, stateAt: stored.stateAt.map(Timestamp.text),
            content: try CheckedJSON.decode(JSONObject.self, from: json), richHtml: stored.richHTML,
            richStored: entry.confirmations.map { .init(deviceId: $0.client.rawValue, at: Timestamp.text($0.at)) }
        )
    }
}

extension ExportedDelivery {
    fileprivate init(_ entry: ContactExport.Delivery) {
        let row = entry.delivery
        self.init(
            deviceId: entry.client.rawValue, campaign: row.campaign.description, name: entry.campaign?.name,
            kind: entry.campaign?.kind, state: row.state, reason: row.reason?.rawValue, note: row.note,
            attempts: row.attempts, updatedAt: Timestamp.text(row.updatedAt),
            receivedAt: row.engagements[.received].map(Timestamp.text),
            displayedAt: row.engagements[.displayed].map(Timestamp.text),
            openedAt: row.engagements[.opened].map(Timestamp.text),
            dismissedAt: row.engagements[.dismissed].map(Timestamp.text), displays: entry.engagement?.displays,
            opens: entry.engagement?.opens
        )
    }
}

extension ExportedInAppMessage {
    fileprivate init(_ entry: ContactExport.InAppMessage) {
        let message = entry.message
        self.init(
            deviceId: entry.client.rawValue, campaign: message.campaign.description, name: entry.campaign?.name,
            version: message.version, downloadedAt: message.downloadedAt.map(Timestamp.text),
            displays: message.displays, displayedAt: message.displayedAt.map(Timestamp.text),
            clicks: message.clicks, clickedAt: message.clickedAt.map(Timestamp.text),
            dismissals: message.dismissals, dismissedAt: message.dismissedAt.map(Timestamp.text),
            secondsOnScreen: message.seconds, clicksByButton: entry.clicksByButton,
            timesNotShown: entry.timesNotShown, notShownReason: message.notShownReason,
            notShownAt: message.notShownAt.map(Timestamp.text), recalledAt: message.recalledAt.map(Timestamp.text)
        )
    }
}
