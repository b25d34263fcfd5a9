import BelfryModel

/// The contact record as the app has set it, to be read without an edit (REG-8).
public struct RecordValues: Hashable, Sendable {
    /// The contact key, if one is set. The record has none for a person whom an OpenID token identified: only the
    /// server reads it.
    public let contactKey: String?
    /// The identity triple of a customer data platform, if one is set. It identifies the contact, or describes it.
    public let partyIdentifier: PartyIdentifier?
    /// The attributes that are sent, by key. The server does not send values back (REG-1).
    public let attributes: [String: AttributeValue]
    /// The tags, in order.
    public let tags: [String]
    /// The app's own switch for pushes.
    public let pushEnabled: Bool
    /// The operating system's permission for pushes; nil as long as it was not asked for.
    public let osPushEnabled: Bool?

    init(_ record: ContactRecord) {
        contactKey = record.contactKey?.rawValue
        partyIdentifier = record.partyIdentifier
        attributes = record.attributesByName
        tags = record.tagNames
        pushEnabled = record.pushEnabled
        osPushEnabled = record.osPushEnabled
    }
}

extension ContactRecord {
    var attributesByName: [String: AttributeValue] {
        Dictionary(attributes.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { $1 })
    }

    /// In alphabetical order.
    var tagNames: [String] { tags.map(\.rawValue).sorted() }
}
