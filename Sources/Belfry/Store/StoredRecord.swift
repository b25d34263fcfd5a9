import BelfryModel
import Foundation

/// The contact record as the store keeps it. A date among the attributes comes back as the text that it is on the wire.
struct StoredRecord: Codable {
    struct Token: Codable {
        let value: String
        let provider: PushProvider
        let environment: PushEnvironment
    }

    var contactKey: String?
    var partyIdentifier: PartyIdentifier?
    var pushToken: Token?
    var pushEnabled: Bool
    var osPushEnabled: Bool?
    var attributes: [String: AttributeValue]
    var tags: [String]
    var system: SystemProperties
    var lastOpenedAt: Date?

    init(_ record: ContactRecord) {
        contactKey = record.contactKey?.rawValue
        partyIdentifier = record.partyIdentifier
        pushToken = record.pushToken.map {
            Token(value: $0.value, provider: $0.provider, environment: $0.environment)
        }
        pushEnabled = record.pushEnabled
        osPushEnabled = record.osPushEnabled
        attributes = Dictionary(record.attributes.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { $1 })
        tags = record.tags.map(\.rawValue).sorted()
        system = record.system
        lastOpenedAt = record.lastOpenedAt
    }

    /// What an older version accepted and this one refuses is left out.
    var record: ContactRecord {
        var record = ContactRecord(system: system)
        record.contactKey = contactKey.flatMap { try? ContactKey($0) }
        record.partyIdentifier = partyIdentifier
        record.pushToken = pushToken.flatMap {
            try? PushToken($0.value, provider: $0.provider, environment: $0.environment)
        }
        record.pushEnabled = pushEnabled
        record.osPushEnabled = osPushEnabled
        for (key, value) in attributes {
            if let key = try? AttributeKey(key) { record.attributes[key] = value }
        }
        record.tags = Set(tags.compactMap { try? Tag($0) })
        record.lastOpenedAt = lastOpenedAt
        return record
    }
}
