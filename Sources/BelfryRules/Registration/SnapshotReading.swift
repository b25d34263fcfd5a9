import BelfryModel
import Foundation

/// What a registration snapshot says once each field has been parsed; a field that cannot be is rejected alone,
/// with a reason for the receipt (REG-25).
public struct SnapshotReading: Hashable, Sendable {
    /// Characters of a property of the system and of each part of the party identifier.
    public static let maximumPropertyLength = 255
    /// Bytes of an attribute's text.
    public static let maximumValueBytes = 16_384
    /// Attributes, and tags, that one snapshot may say; those beyond are rejected together.
    public static let maximumEntries = RegistrationSnapshot.maximumEntries

    public private(set) var contactKey: ContactKey?
    public private(set) var partyIdentifier: PartyIdentifier?
    public private(set) var pushToken: PushToken?
    public private(set) var lastOpenedAt: Date?
    public private(set) var system = SystemProperties()
    /// A blank value stands here as itself: it clears (REG-28).
    public private(set) var attributes: [AttributeKey: AttributeValue] = [:]
    /// They replace this device's former set; nil, when the snapshot does not speak of tags, keeps it.
    public private(set) var tags: Set<Tag>?
    public private(set) var rejected: [RejectedField] = []

    /// - Parameters:
    ///   - schema: the app's attributes.
    ///   - contactKeyRule: which contact keys the app takes from a snapshot (ID-3).
    ///   - linkedKey: the key of the known contact that the device is linked to.
    ///   - pushToken: makes a token of what the device calls one, or says why it is none.
    public init(
        _ snapshot: RegistrationSnapshot, schema: [String: AttributeType], contactKeyRule: ContactKeyRule = .stated,
        linkedKey: String? = nil,
        pushToken: (String, PushProvider, PushEnvironment) throws(Refusal) -> PushToken =
            PushToken.init(_:provider:environment:)
    ) {
        contactKey = read("contactKey", snapshot.contactKey) { raw throws(Refusal) in
            let key = try ContactKey(raw)
            if let refusal = contactKeyRule.refusal(of: key, linked: linkedKey) { throw refusal }
            return key
        }
        readParty(snapshot.partyIdentifier)
        readToken(snapshot, pushToken)
        readSystem(snapshot.system)
        lastOpenedAt = read("lastOpenedAt", snapshot.lastOpenedAt) { raw throws(Refusal) in
            guard let date = Timestamp.date(raw) else {
                throw Refusal(code: "invalidDate", message: "A date is ISO 8601 with a zone: 2026-11-21T12:00:00Z.")
            }
            return date
        }
        readAttributes(snapshot, schema: schema)
        if let raws = snapshot.tags { readTags(raws) }
    }

    /// Those with a value and those without one count together.
    private mutating func readAttributes(_ snapshot: RegistrationSnapshot, schema: [String: AttributeType]) {
        let readable = (snapshot.attributes ?? [:]).sorted { $0.key < $1.key }
        let unreadable = (snapshot.unreadableAttributes ?? []).sorted()
        let names = bounded("attributes", readable.map(\.key) + unreadable)
        for (name, value) in readable.prefix(names.count) { readAttribute(name, value, schema: schema) }
        for name in names.dropFirst(readable.count) {
            let message = "An attribute value is a string, a number, a boolean or a date."
            reject("attributes.\(name)", Refusal(code: "wrongType", message: message))
        }
    }

    private mutating func readTags(_ raws: [String]) {
        var read: Set<Tag> = []
        for (index, raw) in bounded("tags", raws).enumerated() {
            if let tag = self.read("tags[\(index)]", raw, parse: { raw throws(Refusal) in try Tag(raw) }) {
                read.insert(tag)
            }
        }
        tags = read
    }

    private mutating func bounded<Element>(_ field: String, _ elements: [Element]) -> ArraySlice<Element> {
        if elements.count > Self.maximumEntries {
            let message = "A snapshot has at most \(Self.maximumEntries) of them; the rest is left out."
            reject(field, Refusal(code: "tooMany", message: message))
        }
        return elements.prefix(Self.maximumEntries)
    }

    private mutating func read<Value>(
        _ field: String, _ raw: String?, parse: (String) throws(Refusal) -> Value
    ) -> Value? {
        guard let raw else { return nil }
        do {
            return try parse(raw)
        } catch {
            reject(field, error)
            return nil
        }
    }

    private mutating func reject(_ field: String, _ refusal: Refusal) {
        rejected.append(RejectedField(field: field, reason: refusal.code, message: refusal.message))
    }

    private mutating func readParty(_ party: PartyIdentifier?) {
        guard let party else { return }
        let parts = [party.type, party.name, party.number].map { $0.trimmingCharacters(in: .whitespacesAndNewlines) }
        guard parts.allSatisfy({ !$0.isEmpty && $0.count <= Self.maximumPropertyLength }) else {
            let limit = Self.maximumPropertyLength
            return reject(
                "partyIdentifier",
                Refusal(code: "blank", message: "Type, name and number have 1 to \(limit) characters each.")
            )
        }
        for part in parts {
            guard property("partyIdentifier", part) != nil else { return }
        }
        partyIdentifier = PartyIdentifier(type: parts[0], name: parts[1], number: parts[2])
    }

    private mutating func readToken(
        _ snapshot: RegistrationSnapshot,
        _ parse: (String, PushProvider, PushEnvironment) throws(Refusal) -> PushToken
    ) {
        pushToken = read("pushToken", snapshot.pushToken) { raw throws(Refusal) in
            try parse(
                raw, snapshot.pushProvider ?? .standard(forPlatform: snapshot.platform),
                snapshot.pushEnvironment ?? .production
            )
        }
    }

    private mutating func readSystem(_ raw: SystemProperties) {
        system.timeZone = read("timeZone", raw.timeZone) { raw throws(Refusal) in
            guard ZoneName(raw) != nil else {
                throw Refusal(code: "unknownTimeZone", message: "'\(raw.prefix(64))' is no IANA time zone.")
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
        read(field, raw) { raw throws(Refusal) in
            // Bytes first: a character may be as long as one likes, and counting them takes long then.
            guard raw.utf8.count <= NamingRule.maximumBytes, raw.count <= Self.maximumPropertyLength else {
                let rule = "\(Self.maximumPropertyLength) characters, in \(NamingRule.maximumBytes) bytes"
                throw Refusal(code: "tooLong", message: "It has at most \(rule).")
            }
            try NamingRule.refuseNull(in: raw, "It")
            return raw
        }
    }

    private mutating func readAttribute(_ name: String, _ value: AttributeValue, schema: [String: AttributeType]) {
        let field = "attributes.\(name.prefix(AttributeKey.maximumLength))"
        guard let key = read(field, name, parse: { raw throws(Refusal) in try AttributeKey(raw) }) else { return }
        guard let type = schema[key.rawValue] else {
            return reject(
                field, Refusal(code: "undefinedAttribute", message: "The app has not defined '\(key)'.")
            )
        }
        let trimmed = value.trimmed
        guard !trimmed.isBlank else {
            attributes[key] = .string("")
            return
        }
        guard let admitted = type.admit(trimmed) else {
            return reject(
                field, Refusal(code: "wrongType", message: "'\(key)' is defined as \(type.rawValue).")
            )
        }
        if case .string(let text) = admitted, read(field, text, parse: Self.checkedValue) == nil { return }
        attributes[key] = admitted
    }

    private static func checkedValue(_ text: String) throws(Refusal) -> String {
        guard text.utf8.count <= maximumValueBytes else {
            throw Refusal(code: "tooLong", message: "A value has at most \(maximumValueBytes) bytes.")
        }
        try NamingRule.refuseNull(in: text, "A value")
        return text
    }
}
