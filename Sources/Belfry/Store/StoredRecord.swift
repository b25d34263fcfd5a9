import BelfryModel
import Foundation

/// The contact record in its stored form. A date among the attributes is read back as the text that is sent.
///
/// Each field is read separately, so an unreadable field does not affect the others. An unreadable consent counts as an
/// opt-out, because the person's choice is unknown.
struct StoredRecord: Codable {
    struct Token: Codable {
        let value: String
        let provider: PushProvider
        let environment: PushEnvironment
    }

    private enum CodingKeys: String, CodingKey {
        case contactKey, partyIdentifier, pushToken, pushEnabled, osPushEnabled, osPushIsUnasked
        case attributes, tags, system, lastOpenedAt, contactField, isNamedByParty
    }

    var contactKey: String?
    var partyIdentifier: PartyIdentifier?
    var pushToken: Token?
    var pushEnabled: Bool
    var osPushEnabled: Bool?
    /// Nil in records of earlier versions.
    var osPushIsUnasked: Bool?
    var attributes: [String: AttributeValue]
    var tags: [String]
    var system: SystemProperties
    var lastOpenedAt: Date?
    /// Nil in records of earlier versions, like the next one.
    var contactField: String?
    var isNamedByParty: Bool?

    init(_ record: ContactRecord) {
        contactKey = record.contactKey?.rawValue
        partyIdentifier = record.partyIdentifier
        pushToken = record.pushToken.map {
            Token(value: $0.value, provider: $0.provider, environment: $0.environment)
        }
        pushEnabled = record.pushEnabled
        osPushEnabled = record.osPushEnabled
        osPushIsUnasked = record.osPushIsUnasked
        attributes = record.attributesByName
        tags = record.tagNames
        system = record.system
        lastOpenedAt = record.lastOpenedAt
        contactField = record.contactField
        isNamedByParty = record.isNamedByParty ? true : nil
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        contactKey = fields.readable(.contactKey)
        partyIdentifier = fields.readable(.partyIdentifier)
        pushToken = fields.readable(.pushToken)
        pushEnabled = fields.readable(.pushEnabled) ?? false
        let answer: Bool? = fields.readable(.osPushEnabled)
        osPushEnabled = answer ?? (fields.holds(.osPushEnabled) ? false : nil)
        osPushIsUnasked = fields.readable(.osPushIsUnasked)
        let values: [String: Readable<AttributeValue>]? = fields.readable(.attributes)
        attributes = values?.compactMapValues(\.value) ?? [:]
        let names: [Readable<String>]? = fields.readable(.tags)
        tags = names?.compactMap(\.value) ?? []
        system = fields.readable(.system) ?? SystemProperties()
        lastOpenedAt = fields.readable(.lastOpenedAt)
        contactField = fields.readable(.contactField)
        isNamedByParty = fields.readable(.isNamedByParty)
    }

    /// The record. Values that an earlier version accepted and this one rejects are omitted.
    var record: ContactRecord {
        var record = ContactRecord(system: system)
        record.contactKey = contactKey.flatMap { try? ContactKey($0) }
        record.contactField = record.contactKey == nil ? nil : contactField
        record.partyIdentifier = partyIdentifier
        record.isNamedByParty = partyIdentifier != nil && isNamedByParty == true
        record.pushToken = pushToken.flatMap {
            try? PushToken($0.value, provider: $0.provider, environment: $0.environment)
        }
        record.pushEnabled = pushEnabled
        record.osPushEnabled = osPushEnabled
        record.osPushIsUnasked = osPushIsUnasked ?? false
        for (key, value) in attributes {
            if let key = try? AttributeKey(key) { record.attributes[key] = value }
        }
        record.tags = Set(tags.compactMap { try? Tag($0) })
        record.lastOpenedAt = lastOpenedAt
        return record
    }
}

extension ContactRecord {
    /// Replaces an unreadable record. The person may have opted out of pushes, so it counts as opted out.
    static let unreadable = ContactRecord(pushEnabled: false)
}

/// A value of a collection, if it can be read.
private struct Readable<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        value = try? Value(from: decoder)
    }
}

extension KeyedDecodingContainer {
    /// - Returns: nil when it does not exist or cannot be read.
    fileprivate func readable<Value: Decodable>(_ key: Key) -> Value? {
        try? decode(Value.self, forKey: key)
    }

    /// Whether a value exists, readable or not.
    fileprivate func holds(_ key: Key) -> Bool {
        contains(key) && (try? decodeNil(forKey: key)) != true
    }
}
