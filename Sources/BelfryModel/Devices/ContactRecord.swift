import Foundation

/// What the device knows about itself and its contact; the device is the source of truth for it (REG-1).
public struct ContactRecord: Hashable, Sendable {
    public var contactKey: ContactKey?
    /// The field of the contact key, if it is not the standard one. Then a registration does not contain the key,
    /// because it names no field (ID-3).
    public var contactField: String?
    public var partyIdentifier: PartyIdentifier?
    /// Whether the party identifier identifies the contact, rather than only describing it (ID-9).
    public var isNamedByParty = false
    public var pushToken: PushToken?
    /// The app's own switch for pushes.
    public var pushEnabled: Bool
    /// The operating system's permission; nil as long as it was not asked, or is not known.
    public var osPushEnabled: Bool?
    /// Whether the operating system says that the person was never asked. False where it cannot say.
    public var osPushIsUnasked: Bool
    public var attributes: [AttributeKey: AttributeValue]
    public var tags: Set<Tag>
    public var system: SystemProperties
    /// When the app was last opened. It is part of a registration, but a change of it does not cause one (REG-3).
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
    /// The maximum length of each field in characters, the same as for a part of a party identifier.
    public static let maximumLength = PartyIdentifier.maximumLength

    /// IANA name, such as `Europe/Paris`.
    public var timeZone: String?
    public var locale: String?
    /// The operating system: `ios`, `macos`, `linux`, `android` or `web`.
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
