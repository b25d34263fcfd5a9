import BelfryModel
import BelfryServices

/// The response to `POST …/contacts/{contactKey}/erase`: what was erased, and the name of the receipt, which can be
/// read later (ADM-4).
package struct ContactErasureResponse: Hashable, Sendable, Codable {
    package var contactKey: String
    package var receipt: String
    package var devices: Int
    package var events: Int
    package var messages: Int
    package var deliveries: Int

    package init(
        contactKey: String, receipt: String, devices: Int, events: Int, messages: Int = 0, deliveries: Int = 0
    ) {
        self.contactKey = contactKey
        self.receipt = receipt
        self.devices = devices
        self.events = events
        self.messages = messages
        self.deliveries = deliveries
    }

    init(contactKey: String, _ receipt: ContactService.Receipt) {
        self.init(
            contactKey: contactKey, receipt: receipt.name, devices: receipt.removed.devices,
            events: receipt.removed.events, messages: receipt.removed.messages,
            deliveries: receipt.removed.deliveries
        )
    }
}

extension ContactErasureResponse: Described {
    static let schema: JSONSchema = .object(
        JSONSchema.erasedCounts.merging([
            "contactKey": .string(), "receipt": .string().described("Names the receipt, which can be read later."),
        ]) { first, _ in first }
    )
}

/// `GET …/erasures/{receipt}`: what was erased and when. It names no person.
package struct ErasureResponse: Hashable, Sendable, Codable {
    package var receipt: String
    package var startedAt: String
    /// Nil for an interrupted erasure.
    package var endedAt: String?
    /// The number that stands for the person, also in the audit log.
    package var contact: String
    package var devices: Int
    package var events: Int
    package var messages: Int
    package var deliveries: Int

    init(_ receipt: ContactService.Receipt) {
        self.receipt = receipt.name
        startedAt = Timestamp.text(receipt.startedAt)
        endedAt = receipt.endedAt.map(Timestamp.text)
        contact = String(receipt.contact)
        devices = receipt.removed.devices
        events = receipt.removed.events
        messages = receipt.removed.messages
        deliveries = receipt.removed.deliveries
    }
}

extension ErasureResponse: Described {
    static let schema: JSONSchema = .object(
        JSONSchema.erasedCounts.merging([
            "receipt": .string(), "startedAt": .of(Timestamp.self),
            "contact": .string().described("The person's number, which the audit log also contains."),
        ]) { first, _ in first },
        optional: [
            "endedAt": .of(Timestamp.self).described("Absent: it was interrupted. Repeat it.")
        ]
    )
}

/// `GET …/erasures`, newest first.
package struct ErasureListResponse: Hashable, Sendable, Codable {
    package var erasures: [ErasureResponse]
    package var cursor: String?

    package init(erasures: [ErasureResponse], cursor: String? = nil) {
        self.erasures = erasures
        self.cursor = cursor
    }
}

extension ErasureListResponse: Described {
    static let schema: JSONSchema = .object(
        ["erasures": .list(of: .of(ErasureResponse.self))], optional: ["cursor": .cursor]
    )
}

extension JSONSchema {
    fileprivate static let erasedCounts: [String: JSONSchema] = [
        "devices": .count.described("The number of erased devices."),
        "events": .count.described("The number of erased events."),
        "messages": .count.described("The number of messages erased from message centers."),
        "deliveries": .count.described("The number of ledger entries that no longer name the person."),
    ]
}
