import BelfryModel
import Foundation

/// A registration snapshot with parsed fields; an invalid field is rejected alone, with a reason for the receipt
/// (REG-25).
public struct SnapshotReading: Hashable, Sendable {
    /// The maximum number of characters of a system property and of each part of the party identifier.
    public static let maximumPropertyLength = SystemProperties.maximumLength
    /// The maximum size of an attribute's text in bytes.
    public static let maximumValueBytes = 16_384
    /// The maximum number of attributes, and of tags, in one snapshot; those beyond are rejected together.
    public static let maximumEntries = RegistrationSnapshot.maximumEntries

    public private(set) var contactKey: ContactKey?
    public private(set) var partyIdentifier: PartyIdentifier?
    public private(set) var pushToken: PushToken?
    public private(set) var lastOpenedAt: Date?
    public private(set) var system = SystemProperties()
    /// Includes blank values, which clear the attribute (REG-28).
    public private(set) var attributes: [AttributeKey: AttributeValue] = [:]
    /// The tags, which replace this device's former set; nil, when the snapshot has no tags, keeps it.
    public private(set) var tags: Set<Tag>?
    public private(set) var rejected: [RejectedField] = []

    /// - Parameters:
    ///   - schema: the app's attributes.
    ///   - contactKeyRule: which contact keys the app accepts from a snapshot (ID-3).
    ///   - linkedKey: the key of the known contact that the device is linked to.
    ///   - pushToken: parses the device's token, or throws the reason why it is invalid.
    public init(
        _ snapshot: RegistrationSnapshot, schema: [String: AttributeType], contactKeyRule: ContactKeyRule = .stated,
        linkedKey: String? = nil,
        pushToken: (String, PushProvider, PushEnvironment) throws(ValueError) -> PushToken =
            PushToken.init(_:provider:environment:)
    ) {
        contactKey = read("contactKey", snapshot.contactKey) { raw throws(ValueError) in
            let key = try ContactKey(raw)
            if let error = contactKeyRule.error(of: key, linked: linkedKey) { throw error }
            return key
        }
        readParty(snapshot.partyIdentifier)
        readToken(snapshot, pushToken)
        readSystem(snapshot.system)
        lastOpenedAt = read("lastOpenedAt", snapshot.lastOpenedAt) { raw throws(ValueError) in
            guard let date = Timestamp.date(raw) else {
                throw ValueError(
                    code: "invalidDate", message: "A date is ISO 8601 with an offset: 2026-11-21T12:00:00Z.")
            }
            return date
        }
        readAttributes(snapshot, schema: schema)
        if let raws = snapshot.tags { readTags(raws) }
    }

    /// Readable and unreadable attributes count together.
    private mutating func readAttributes(_ snapshot: RegistrationSnapshot, schema: [String: AttributeType]) {
        let readable = (snapshot.attributes ?? [:]).sorted { $0.key < $1.key }
        let unreadable = (snapshot.unreadableAttributes ?? []).sorted()
        let names = bounded("attributes", readable.map(\.key) + unreadable)
        for (name, value) in readable.prefix(names.count) { readAttribute(name, value, schema: schema) }
        for name in names.dropFirst(readable.count) {
            let message = "An attribute value is a string, a number, a boolean or a date."
            reject("attributes.\(name)", ValueError(code: "wrongType", message: message))
        }
    }

    private mutating func readTags(_ raws: [String]) {
        var read: Set<Tag> = []
        for (index, raw) in bounded("tags", raws).enumerated() {
            if let tag = self.read("tags[\(index)]", raw, parse: { raw throws(ValueError) in try Tag(raw) }) {
                read.insert(tag)
            }
        }
        tags = read
    }

    private mutating func bounded<Element>(_ field: String, _ elements: [Element]) -> ArraySlice<Element> {
        if elements.count > Self.maximumEntries {
            let message = "A snapshot has at most \(Self.maximumEntries) of them; the others are ignored."
            reject(field, ValueError(code: "tooMany", message: message))
        }
        return elements.prefix(Self.maximumEntries)
    }

    private mutating func read<Value>(
        _ field: String, _ raw: String?, parse: (String) throws(ValueError) -> Value
    ) -> Value? {
        guard let raw else { return nil }
        do {
            return try parse(raw)
        } catch {
            reject(field, error)
            return nil
        }
    }

    private mutating func reject(_ field: String, _ error: ValueError) {
        rejected.append(RejectedField(field: field, reason: error.code, message: error.message))
    }

    private mutating func readParty(_ party: PartyIdentifier?) {
        guard let party else { return }
        let parts = [party.type, party.name, party.number].map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        guard parts.allSatisfy({ !$0.isEmpty && $0.count <= Self.maximumPropertyLength }) else {
            let limit = Self.maximumPropertyLength
            return reject(
                "partyIdentifier",
                ValueError(code: "blank", message: "Type, name and number have 1 to \(limit) characters each.")
            )
        }
        for part in parts {
            guard property("partyIdentifier", part) != nil else { return }
        }
        partyIdentifier = PartyIdentifier(type: parts[0], name: parts[1], number: parts[2])
    }

    private mutating func readToken(
        _ snapshot: RegistrationSnapshot,
        _ parse: (String, PushProvider, PushEnvironment) throws(ValueError) -> PushToken
    ) {
        pushToken = read("pushToken", snapshot.pushToken) { raw throws(ValueError) in
            let provider: PushProvider
            if let named = snapshot.pushProvider {
                provider = named
            } else {
                provider = try .standard(forPlatform: snapshot.platform)
            }
            return try parse(raw, provider, snapshot.pushEnvironment ?? .production)
        }
    }

    private mutating func readSystem(_ raw: SystemProperties) {
        system.timeZone = read("timeZone", raw.timeZone) { raw throws(ValueError) in
            guard ZoneName(raw) != nil else {
                throw ValueError(code: "unknownTimeZone", message: "'\(raw.prefix(64))' is not an IANA time zone.")
            }
            return raw
        }
        system.locale = property("locale", raw.locale)
        system.platform = property("platform", raw.platform)
        system.osVersion = property("osVersion", raw.osVersion)
        system.appVersion = property("appVersion", raw.appVersion)
        system.sdkVersion = property("sdkVersion", raw.sdkVersion)
        system.deviceModel = property("deviceModel", raw.deviceModel)
    }

    private mutating func property(_ field: String, _ raw: String?) -> String? {
        read(field, raw) { raw throws(ValueError) in
            // Bytes first: a character may be arbitrarily long, and counting such characters takes long.
            guard raw.utf8.count <= NamingRule.maximumBytes, raw.count <= Self.maximumPropertyLength else {
                let rule = "\(Self.maximumPropertyLength) characters, in \(NamingRule.maximumBytes) bytes"
                throw ValueError(code: "tooLong", message: "It has at most \(rule).")
            }
            try NamingRule.refuseNull(in: raw, "It")
            return raw
        }
    }

    private mutating func readAttribute(_ name: String, _ value: AttributeValue, schema: [String: AttributeType]) {
        let field = "attributes.\(name.prefix(AttributeKey.maximumLength))"
        guard let key = read(field, name, parse: { raw throws(ValueError) in try AttributeKey(raw) }) else { return }
        guard let type = schema[key.rawValue] else {
            return reject(
                field, ValueError(code: "undefinedAttribute", message: "The app has not defined '\(key)'.")
            )
        }
        let trimmed = value.trimmed
        guard !trimmed.isBlank else {
            attributes[key] = .string("")
            return
        }
        guard let admitted = type.admit(trimmed) else {
            return reject(
                field, ValueError(code: "wrongType", message: "'\(key)' is defined as \(type.rawValue).")
            )
        }
        if case .string(let text) = admitted, read(field, text, parse: Self.checkedValue) == nil { return }
        attributes[key] = admitted
    }

    private static func checkedValue(_ text: String) throws(ValueError) -> String {
        guard text.utf8.count <= maximumValueBytes else {
            throw ValueError(code: "tooLong", message: "A value has at most \(maximumValueBytes) bytes.")
        }
        try NamingRule.refuseNull(in: text, "A value")
        return text
    }
}
