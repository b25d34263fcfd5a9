import Foundation

/// What the device knows about itself and its contact; the device is the source of truth for it (REG-1).
public struct ContactRecord: Hashable, Sendable {
    public var contactKey: ContactKey?
    /// The field of the contact key, if it is another than the standard one: then a registration does not carry the key,
    /// because it names no field (ID-3).
    public var contactField: String?
    public var partyIdentifier: PartyIdentifier?
    /// The party identifier identifies the contact, and does not only describe it (ID-9).
    public var isNamedByParty = false
    public var pushToken: PushToken?
    /// The app's own switch.
    public var pushEnabled: Bool
    /// What the operating system answered; nil as long as it was not asked, or nobody can tell.
    public var osPushEnabled: Bool?
    /// The operating system says that the person was never asked. Where it cannot be asked itself, nobody knows.
    public var osPushIsUnasked: Bool
    public var attributes: [AttributeKey: AttributeValue]
    public var tags: Set<Tag>
    public var system: SystemProperties
    /// Travels with a registration but is never itself a difference (REG-3).
    public var lastOpenedAt: Date?

    public init(
        contactKey: ContactKey? = nil,
        partyIdentifier: PartyIdentifier? = nil,
        pushToken: PushToken? = nil,
        pushEnabled: Bool = true,
        osPushEnabled: Bool? = nil,
        attributes: [AttributeKey: AttributeValue] = [:],
        tags: Set<Tag> = [],
        system: SystemProperties = SystemProperties(),
        lastOpenedAt: Date? = nil,
        osPushIsUnasked: Bool = false
    ) {
        self.contactKey = contactKey
        self.partyIdentifier = partyIdentifier
        self.pushToken = pushToken
        self.pushEnabled = pushEnabled
        self.osPushEnabled = osPushEnabled
        self.attributes = attributes
        self.tags = tags
        self.system = system
        self.lastOpenedAt = lastOpenedAt
        self.osPushIsUnasked = osPushIsUnasked
    }
}

/// The fields of a contact record that belong to the system, not to the app (REG-5).
public struct SystemProperties: Hashable, Sendable, Codable {
    /// Characters of each, as of each part of a party identifier.
    public static let maximumLength = PartyIdentifier.maximumLength

    /// IANA name, such as `Europe/Paris`.
    public var timeZone: String?
    public var locale: String?
    /// `ios`, `macos`, `linux`, `android`, `web`.
    public var platform: String?
    public var osVersion: String?
    public var appVersion: String?
    public var sdkVersion: String?
    public var deviceModel: String?

    public init(
        timeZone: String? = nil,
        locale: String? = nil,
        platform: String? = nil,
        osVersion: String? = nil,
        appVersion: String? = nil,
        sdkVersion: String? = nil,
        deviceModel: String? = nil
    ) {
        self.timeZone = timeZone
        self.locale = locale
        self.platform = platform
        self.osVersion = osVersion
        self.appVersion = appVersion
        self.sdkVersion = sdkVersion
        self.deviceModel = deviceModel
    }
}
