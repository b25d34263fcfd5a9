/// The body of `POST /client/registration` (WIRE-7): the contact record on the device.
public struct RegistrationSnapshot: Hashable, Sendable, Codable {
    /// The maximum number of attributes, and of tags, in one snapshot. One more is read, to detect that there are too
    /// many.
    public static let maximumEntries = 1_000

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
    /// The names of attributes with an invalid value, such as a list: each is rejected separately (REG-25).
    public var unreadableAttributes: [String]?
    public var tags: [String]?
    public var timeZone: String?
    public var locale: String?
    public var platform: String?
    public var osVersion: String?
    public var appVersion: String?
    public var sdkVersion: String?
    public var deviceModel: String?
    /// When the app was last opened, in ISO 8601.
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
    /// The snapshot of a record. Sets are sorted, so that equal records have equal bodies.
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

extension RegistrationSnapshot {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        func text(_ key: CodingKeys) throws -> String? { try container.decodeIfPresent(String.self, forKey: key) }
        self.init(
            deviceId: try container.decode(String.self, forKey: .deviceId),
            registrationId: try container.decode(String.self, forKey: .registrationId),
            revision: try container.decode(Int64.self, forKey: .revision),
            contactKey: try text(.contactKey),
            partyIdentifier: try container.decodeIfPresent(PartyIdentifier.self, forKey: .partyIdentifier),
            pushToken: try Self.pushToken(in: container),
            pushProvider: try container.decodeIfPresent(PushProvider.self, forKey: .pushProvider),
            pushEnvironment: try container.decodeIfPresent(PushEnvironment.self, forKey: .pushEnvironment),
            pushEnabled: try container.decode(Bool.self, forKey: .pushEnabled),
            osPushEnabled: try container.decodeIfPresent(Bool.self, forKey: .osPushEnabled),
            tags: try Self.tags(in: container),
            system: SystemProperties(
                timeZone: try text(.timeZone), locale: try text(.locale), platform: try text(.platform),
                osVersion: try text(.osVersion), appVersion: try text(.appVersion), sdkVersion: try text(.sdkVersion),
                deviceModel: try text(.deviceModel)
            ),
            lastOpenedAt: try text(.lastOpenedAt)
        )
        unreadableAttributes = try container.decodeIfPresent([String].self, forKey: .unreadableAttributes)
        guard let read = try container.decodeIfPresent(BoundedAttributes.self, forKey: .attributes) else { return }
        attributes = read.values.compactMapValues(\.value)
        let unreadable = read.values.filter(\.value.isUnreadable).keys.sorted()
        if !unreadable.isEmpty { unreadableAttributes = (unreadableAttributes ?? []) + unreadable }
    }

    /// The push token. A browser's may be the subscription's JSON object.
    private static func pushToken(in container: KeyedDecodingContainer<CodingKeys>) throws -> String? {
        if let subscription = try? container.decode(BrowserSubscription.self, forKey: .pushToken) {
            return try subscription.text
        }
        return try container.decodeIfPresent(String.self, forKey: .pushToken)
    }

    private static func tags(in container: KeyedDecodingContainer<CodingKeys>) throws -> [String]? {
        guard container.contains(.tags), try !container.decodeNil(forKey: .tags) else { return nil }
        var list = try container.nestedUnkeyedContainer(forKey: .tags)
        var tags: [String] = []
        while !list.isAtEnd, tags.count <= maximumEntries { tags.append(try list.decode(String.self)) }
        return tags
    }
}

/// The attributes of a snapshot: at most one more than the maximum.
private struct BoundedAttributes: Decodable {
    let values: [String: AnyValue]

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { return nil }
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Name.self)
        var names = container.allKeys
        if names.count > RegistrationSnapshot.maximumEntries {
            names = try names.filter { try !container.decodeNil(forKey: $0) }
                .sorted { $0.stringValue < $1.stringValue }
        }
        values = try names.prefix(RegistrationSnapshot.maximumEntries + 1).reduce(into: [:]) { values, name in
            values[name.stringValue] = try container.decode(AnyValue.self, forKey: name)
        }
    }
}

/// Any value in place of an attribute's; null counts as absent.
private struct AnyValue: Decodable {
    let value: AttributeValue?
    let isUnreadable: Bool

    init(from decoder: any Decoder) throws {
        let isNull = try decoder.singleValueContainer().decodeNil()
        value = isNull ? nil : try? AttributeValue(from: decoder)
        isUnreadable = !isNull && value == nil
    }
}
