import BelfryModel
import BelfryRules
import BelfryWire

/// The result of a setter: accepted, or refused with the reason (REG-8).
public enum EditResult: Hashable, Sendable {
    /// Accepted; a change is sent to the server within a minute.
    case accepted
    /// Nothing changed. The error says what was wrong and what is allowed.
    case refused(ValueError)

    /// Whether the value was accepted.
    public var isAccepted: Bool { self == .accepted }

    /// Why the value was refused; nil if it was accepted.
    public var error: ValueError? {
        guard case .refused(let error) = self else { return nil }
        return error
    }
}

/// The contact record during an `edit`. All its changes take effect together and cause at most one update.
public struct RecordEdit: Sendable {
    private(set) var record: ContactRecord
    /// A contact key was set, even if it is the same one.
    private(set) var namesContact = false
    /// A contact key of another person was set.
    private(set) var changesPerson = false
    /// An OpenID token identified the person so far.
    private var isProven: Bool
    /// The result of every setter while nothing is accepted.
    private let suspension: ValueError?
    /// The size of the attributes and tags in a request, if it is known.
    private var bytes: Int?

    /// - Parameters:
    ///   - isProven: an OpenID token identified the person to whom the record belongs.
    ///   - suspension: why nothing is accepted at present; nil if the record can be edited.
    init(_ record: ContactRecord, isProven: Bool = false, suspension: ValueError? = nil) {
        self.record = record
        self.isProven = isProven
        self.suspension = suspension
    }

    /// The contact key, if one is set.
    public var contactKey: String? { record.contactKey?.rawValue }
    /// The attributes that are sent, by key.
    public var attributes: [String: AttributeValue] {
        Dictionary(record.attributes.map { ($0.key.rawValue, $0.value) }, uniquingKeysWith: { $1 })
    }
    /// The tags, in order.
    public var tags: [String] { record.tags.map(\.rawValue).sorted() }
    /// The identity triple of a customer data platform, if one is set.
    public var partyIdentifier: PartyIdentifier? { record.partyIdentifier }
    /// The app's own switch for pushes.
    public var pushEnabled: Bool { record.pushEnabled }

    /// Sets the contact key and links the device to that contact, as
    /// ``BelfryClient/identify(contactKey:contactField:)`` does; trimmed, 1 to 255 characters, never cleared by this
    /// call (REG-9).
    ///
    /// A different key removes the party identifier, the attributes and the tags from the record: set the key first,
    /// then the values of the new contact.
    @discardableResult
    public mutating func setContactKey(_ key: String?) -> EditResult {
        if let suspension { return .refused(suspension) }
        do throws(ValueError) {
            if record.setContactKey(try ContactKey(key ?? ""), wasProven: isProven) { changesPerson = true }
            bytes = nil
            isProven = false
            namesContact = true
            return .accepted
        } catch {
            return .refused(error)
        }
    }

    /// Sets the identity triple of a customer data platform; each part is trimmed and has 1 to 255 characters. The
    /// server stores it with the contact and shows it to operators. It does not link the device to a contact (ID-9);
    /// use ``setContactKey(_:)`` for that.
    @discardableResult
    public mutating func setPartyIdentifier(type: String, name: String, number: String) -> EditResult {
        if let suspension { return .refused(suspension) }
        let longest = SnapshotReading.maximumPropertyLength
        do throws(ValueError) {
            record.partyIdentifier = PartyIdentifier(
                type: try NamingRule.parse(type, "The type of a party identifier", maximumLength: longest),
                name: try NamingRule.parse(name, "The name of a party identifier", maximumLength: longest),
                number: try NamingRule.parse(number, "The number of a party identifier", maximumLength: longest)
            )
            return .accepted
        } catch {
            return .refused(error)
        }
    }

    /// Sets an attribute. A blank text is sent, and clears the value on the server (REG-10).
    ///
    /// - Parameters:
    ///   - key: trimmed, 1 to 128 characters, none of ``BelfryModel/AttributeKey/reservedWords``.
    ///   - value: trimmed; a text has at most 16,384 bytes, a number is finite. All attributes and tags together have
    ///     at most 983,040 bytes as JSON.
    @discardableResult
    public mutating func setAttribute(_ key: String?, to value: AttributeValue?) -> EditResult {
        if let suspension { return .refused(suspension) }
        guard let value else {
            return .refused(
                ValueError(code: "missingValue", message: "An attribute needs a value. To clear it, use its key."))
        }
        do throws(ValueError) {
            let parsed = try AttributeKey(key ?? "")
            let checked = try Self.checked(value.trimmed)
            guard record.attributes.count < SnapshotReading.maximumEntries || record.attributes[parsed] != nil else {
                throw Self.tooMany
            }
            let former = record.attributes[parsed].map { RecordSize.bytes(parsed, $0) }
            try grow(by: RecordSize.bytes(parsed, checked), insteadOf: former ?? 0)
            record.attributes[parsed] = checked
            return .accepted
        } catch {
            return .refused(error)
        }
    }

    /// Stops sending an attribute; the server keeps its value (REG-10).
    @discardableResult
    public mutating func clearAttribute(_ key: String?) -> EditResult {
        if let suspension { return .refused(suspension) }
        do throws(ValueError) {
            let parsed = try AttributeKey(key ?? "")
            record.attributes[parsed] = nil
            bytes = nil
            return .accepted
        } catch {
            return .refused(error)
        }
    }

    /// Adds a tag; trimmed, 1 to 128 characters (REG-11).
    @discardableResult
    public mutating func addTag(_ tag: String?) -> EditResult {
        if let suspension { return .refused(suspension) }
        do throws(ValueError) {
            let parsed = try Tag(tag ?? "")
            guard record.tags.count < SnapshotReading.maximumEntries || record.tags.contains(parsed) else {
                throw Self.tooMany
            }
            if !record.tags.contains(parsed) { try grow(by: RecordSize.bytes(parsed)) }
            record.tags.insert(parsed)
            return .accepted
        } catch {
            return .refused(error)
        }
    }

    /// Adds tags; each has its own result, in order.
    @discardableResult
    public mutating func addTags(_ tags: [String]) -> [EditResult] {
        tags.map { addTag($0) }
    }

    /// Removes a tag; a tag that does not exist is accepted.
    @discardableResult
    public mutating func removeTag(_ tag: String?) -> EditResult {
        if let suspension { return .refused(suspension) }
        do throws(ValueError) {
            let parsed = try Tag(tag ?? "")
            record.tags.remove(parsed)
            bytes = nil
            return .accepted
        } catch {
            return .refused(error)
        }
    }

    /// Removes tags; each has its own result, in order.
    @discardableResult
    public mutating func removeTags(_ tags: [String]) -> [EditResult] {
        tags.map { removeTag($0) }
    }

    /// The app's own switch for pushes, separate from the system's permission.
    @discardableResult
    public mutating func setPushEnabled(_ isEnabled: Bool) -> EditResult {
        if let suspension { return .refused(suspension) }
        record.pushEnabled = isEnabled
        return .accepted
    }

    /// - Throws: when the record would be too large for one request. A record that is already too large may only
    ///   shrink.
    private mutating func grow(by added: Int, insteadOf removed: Int = 0) throws(ValueError) {
        let present = bytes ?? RecordSize.bytes(of: record)
        let next = present + added - removed
        guard next <= RecordSize.maximumBytes || next <= present else {
            bytes = present
            throw Self.tooLarge
        }
        bytes = next
    }

    private static let tooLarge = ValueError(
        code: "recordTooLarge",
        message: "The attributes and tags together have at most \(RecordSize.maximumBytes) bytes as JSON."
    )

    private static let tooMany = ValueError(
        code: "tooMany",
        message: "A contact record has at most \(SnapshotReading.maximumEntries) attributes and as many tags."
    )

    private static func checked(_ value: AttributeValue) throws(ValueError) -> AttributeValue {
        switch value {
        case .number(let number) where !number.isFinite:
            throw ValueError(code: "invalidNumber", message: "A number must be finite.")
        case .string(let text) where text.utf8.count > SnapshotReading.maximumValueBytes:
            throw ValueError(
                code: "tooLong", message: "A value has at most \(SnapshotReading.maximumValueBytes) bytes.")
        case .string(let text):
            try NamingRule.refuseNull(in: text, "A value")
            return value
        case .number, .boolean, .date:
            return value
        }
    }
}

/// The size of a record's attributes and tags in a request. Everything else in a snapshot is small.
enum RecordSize {
    /// The maximum size in bytes, as JSON: a registration is one request, and this leaves room for the rest of it. A
    /// larger record could never be registered.
    static let maximumBytes = WireLimits.maximumBodyBytes - 65_536

    static func bytes(of record: ContactRecord) -> Int {
        let attributes = record.attributes.reduce(0) { $0 + bytes($1.key, $1.value) }
        return record.tags.reduce(attributes) { $0 + bytes($1) }
    }

    /// With the colon and the comma.
    static func bytes(_ key: AttributeKey, _ value: AttributeValue) -> Int {
        text(key.rawValue) + content(value) + 2
    }

    /// With the comma.
    static func bytes(_ tag: Tag) -> Int {
        text(tag.rawValue) + 1
    }

    private static func content(_ value: AttributeValue) -> Int {
        switch value.asWritten {
        case .string(let string): text(string)
        // The maximum: no other value is longer.
        case .number, .boolean, .date: 32
        }
    }

    /// With the quotation marks, and escaped like the encoder does.
    private static func text(_ text: String) -> Int {
        text.utf8.reduce(2) { bytes, byte in
            switch byte {
            case 0..<0x20: bytes + 6
            case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): bytes + 2
            default: bytes + 1
            }
        }
    }
}

/// The name of the contact field to which a contact key belongs (ID-3).
struct ContactField: Hashable {
    let name: String

    /// Trims. Throws when the result is empty or too long for the server.
    init(_ raw: String) throws(ValueError) {
        name = try NamingRule.parse(raw, "A contact field", maximumLength: SnapshotReading.maximumPropertyLength)
    }
}
