import BelfryModel
import BelfryRules
import BelfryWire

/// Whether a setter took what it was given, and why not (REG-8).
public enum EditResult: Hashable, Sendable {
    /// Taken; when it was a change, the server hears of it within a minute.
    case accepted
    /// Nothing changed. The refusal says what was wrong and what is allowed.
    case refused(Refusal)

    /// Whether it was taken.
    public var isAccepted: Bool { self == .accepted }

    /// Why it was not taken.
    public var refusal: Refusal? {
        guard case .refused(let refusal) = self else { return nil }
        return refusal
    }
}

/// The contact record while an `edit` is under way. All its changes take effect together and cause at most one update.
public struct RecordEdit: Sendable {
    private(set) var record: ContactRecord
    /// A contact key was set, be it the same one.
    private(set) var namesContact = false
    /// A contact key was set that is another person's.
    private(set) var changesPerson = false
    /// An OpenID token named the person so far.
    private var isProven: Bool
    /// What every setter answers while nothing is taken.
    private let refusal: Refusal?
    /// What the attributes and tags take on the wire, as long as that is known.
    private var bytes: Int?

    /// - Parameters:
    ///   - isProven: an OpenID token named the person to whom the record belongs.
    ///   - refusal: why nothing is taken at present, if so.
    init(_ record: ContactRecord, isProven: Bool = false, refusal: Refusal? = nil) {
        self.record = record
        self.isProven = isProven
        self.refusal = refusal
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

    /// Names the contact and links the device to it, as ``BelfryClient/identify(contactKey:contactField:)`` does;
    /// trimmed, 1 to 255 characters, never cleared by this call (REG-9).
    ///
    /// Another key than before takes away the party identifier, the attributes and the tags that the record holds:
    /// set the key first, then what belongs to the new contact.
    @discardableResult
    public mutating func setContactKey(_ key: String?) -> EditResult {
        if let refusal { return .refused(refusal) }
        do throws(Refusal) {
            if record.setContactKey(try ContactKey(key ?? ""), wasProven: isProven) { changesPerson = true }
            bytes = nil
            isProven = false
            namesContact = true
            return .accepted
        } catch {
            return .refused(error)
        }
    }

    /// Sets the identity triple of a customer data platform; each part is trimmed and has 1 to 255 characters. The server
    /// keeps it with the contact and shows it to operators; it links nobody (ID-9): that is what
    /// ``setContactKey(_:)`` is for.
    @discardableResult
    public mutating func setPartyIdentifier(type: String, name: String, number: String) -> EditResult {
        if let refusal { return .refused(refusal) }
        let longest = SnapshotReading.maximumPropertyLength
        do throws(Refusal) {
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
        if let refusal { return .refused(refusal) }
        guard let value else {
            return .refused(Refusal(code: "missingValue", message: "An attribute needs a value; clear it by its key."))
        }
        do throws(Refusal) {
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

    /// Stops sending an attribute and leaves the server's value (REG-10).
    @discardableResult
    public mutating func clearAttribute(_ key: String?) -> EditResult {
        if let refusal { return .refused(refusal) }
        do throws(Refusal) {
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
        if let refusal { return .refused(refusal) }
        do throws(Refusal) {
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

    /// Removes a tag; one that is not there is no fault.
    @discardableResult
    public mutating func removeTag(_ tag: String?) -> EditResult {
        if let refusal { return .refused(refusal) }
        do throws(Refusal) {
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

    /// The app's own switch for pushes; what the operating system says is kept apart.
    @discardableResult
    public mutating func setPushEnabled(_ isEnabled: Bool) -> EditResult {
        if let refusal { return .refused(refusal) }
        record.pushEnabled = isEnabled
        return .accepted
    }

    /// - Throws: when the record would be too large for one request. One that was larger already may only shrink.
    private mutating func grow(by added: Int, insteadOf removed: Int = 0) throws(Refusal) {
        let present = bytes ?? RecordSize.bytes(of: record)
        let next = present + added - removed
        guard next <= RecordSize.maximumBytes || next <= present else {
            bytes = present
            throw Self.tooLarge
        }
        bytes = next
    }

    private static let tooLarge = Refusal(
        code: "recordTooLarge",
        message: "The attributes and tags together have at most \(RecordSize.maximumBytes) bytes as JSON."
    )

    private static let tooMany = Refusal(
        code: "tooMany",
        message: "A contact record has at most \(SnapshotReading.maximumEntries) attributes and as many tags."
    )

    private static func checked(_ value: AttributeValue) throws(Refusal) -> AttributeValue {
        switch value {
        case .number(let number) where !number.isFinite:
            throw Refusal(code: "invalidNumber", message: "A number must be finite.")
        case .string(let text) where text.utf8.count > SnapshotReading.maximumValueBytes:
            throw Refusal(code: "tooLong", message: "A value has at most \(SnapshotReading.maximumValueBytes) bytes.")
        case .string(let text):
            try NamingRule.refuseNull(in: text, "A value")
            return value
        case .number, .boolean, .date:
            return value
        }
    }
}

/// What the attributes and tags of a record take on the wire. Everything else in a snapshot is small.
enum RecordSize {
    /// Bytes as JSON: a registration is one request, and this leaves room for the rest of it. A larger record would
    /// never register.
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
        // At most: no other value is written longer.
        case .number, .boolean, .date: 32
        }
    }

    /// With the quotation marks, and escaped as the encoder does it.
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

/// The name of the field that a contact key is a value of (ID-3).
struct ContactField: Hashable {
    let name: String

    /// Trims. Throws when that leaves nothing, or more than the server takes.
    init(_ raw: String) throws(Refusal) {
        name = try NamingRule.parse(raw, "A contact field", maximumLength: SnapshotReading.maximumPropertyLength)
    }
}
