import BelfryModel
import BelfryStore
import Foundation

/// What a receipt says, apart from its time.
struct KeptReceipt: Hashable, Sendable, Codable {
    let rejected: [RejectedField]
    let accepted: [String]?

    var status: ReceiptStatus { rejected.isEmpty ? .processed : .partlyRejected }
}

/// A word as it is stored until the contact has heard it, with what its registration still needs.
struct KeptWord: Hashable, Sendable, Codable {
    let app: Int64
    let receipt: KeptReceipt
    private let device: Int64
    private let contact: Int64
    private let arrival: ContactArrival?
    /// A blank value clears the attribute.
    private let attributes: [String: AttributeValue]
    private let party: PartyIdentifier?
    private let lastOpenedAt: Date?
    private let tags: [String]?
    private let saidAt: Date

    init(_ word: ContactWord, app: Int64, receipt: KeptReceipt) {
        self.app = app
        self.receipt = receipt
        device = word.device
        contact = word.contact
        arrival = word.arrival
        var values: [String: AttributeValue] = [:]
        for (key, value) in word.attributes.set { values[key.rawValue] = value }
        for key in word.attributes.cleared { values[key.rawValue] = .string("") }
        attributes = values
        party = word.party
        lastOpenedAt = word.lastOpenedAt
        tags = word.tags.map { tags in tags.map(\.rawValue).sorted() }
        saidAt = word.saidAt
    }

    var word: ContactWord {
        get throws {
            var changed: [AttributeKey: AttributeValue] = [:]
            for (name, value) in attributes { changed[try AttributeKey(name)] = value }
            return ContactWord(
                device: device, contact: contact, arrival: arrival,
                attributes: AttributeChanges(from: [:], to: changed), party: party, lastOpenedAt: lastOpenedAt,
                tags: try tags.map { tags in Set(try tags.map { raw in try Tag(raw) }) }, saidAt: saidAt
            )
        }
    }
}
