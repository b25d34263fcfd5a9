/// `POST /client/registration` (WIRE-7): the contact record as the device has it.
public struct RegistrationSnapshot: Hashable, Sendable, Codable {
    public var deviceId: String
    public var registrationId: String
    public var revision: Int64
    public var contactKey: String?
    public var partyIdentifier: PartyIdentifier?
    public var pushToken: String?
    public var pushProvider: PushProvider?
    public var pushEnvironment: PushEnvironment?
    public var pushEnabled: Bool
    public var osPushEnabled: Bool?
    public var attributes: [String: AttributeValue]?
    public var tags: [String]?
    public var timeZone: String?
    public var locale: String?
    public var platform: String?
    public var osVersion: String?
    public var appVersion: String?
    public var sdkVersion: String?
    public var deviceModel: String?
    /// ISO 8601.
    public var lastOpenedAt: String?

    public init(
        deviceId: String,
        registrationId: String,
        revision: Int64,
        contactKey: String? = nil,
        partyIdentifier: PartyIdentifier? = nil,
        pushToken: String? = nil,
        pushProvider: PushProvider? = nil,
        pushEnvironment: PushEnvironment? = nil,
        pushEnabled: Bool,
        osPushEnabled: Bool? = nil,
        attributes: [String: AttributeValue]? = nil,
        tags: [String]? = nil,
        system: SystemProperties = SystemProperties(),
        lastOpenedAt: String? = nil
    ) {
        self.deviceId = deviceId
        self.registrationId = registrationId
        self.revision = revision
        self.contactKey = contactKey
        self.partyIdentifier = partyIdentifier
        self.pushToken = pushToken
        self.pushProvider = pushProvider
        self.pushEnvironment = pushEnvironment
        self.pushEnabled = pushEnabled
        self.osPushEnabled = osPushEnabled
        self.attributes = attributes
        self.tags = tags
        timeZone = system.timeZone
        locale = system.locale
        platform = system.platform
        osVersion = system.osVersion
        appVersion = system.appVersion
        sdkVersion = system.sdkVersion
        deviceModel = system.deviceModel
        self.lastOpenedAt = lastOpenedAt
    }

    public var system: SystemProperties {
        SystemProperties(
            timeZone: timeZone, locale: locale, platform: platform, osVersion: osVersion, appVersion: appVersion,
            sdkVersion: sdkVersion, deviceModel: deviceModel
        )
    }
}

extension RegistrationSnapshot {
    /// The snapshot of a record; sets are sorted, so that equal records make equal bodies.
    public init(record: ContactRecord, deviceID: DeviceID, registrationID: String, revision: Int64) {
        self.init(
            deviceId: deviceID.rawValue,
            registrationId: registrationID,
            revision: revision,
            contactKey: record.contactKey?.rawValue,
            partyIdentifier: record.partyIdentifier,
            pushToken: record.pushToken?.value,
            pushProvider: record.pushToken?.provider,
            pushEnvironment: record.pushToken?.environment,
            pushEnabled: record.pushEnabled,
            osPushEnabled: record.osPushEnabled,
            attributes: Dictionary(uniqueKeysWithValues: record.attributes.map { ($0.key.rawValue, $0.value) }),
            tags: record.tags.map(\.rawValue).sorted(),
            system: record.system,
            lastOpenedAt: record.lastOpenedAt.map(Timestamp.text)
        )
    }
}
