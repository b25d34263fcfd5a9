import BelfryModel
import BelfryRules

/// The contact record during an `edit`. All its changes take effect together and cause at most one update.
public struct RecordEdit: Sendable {
    /// The record with the changes so far.
    private(set) var record: ContactRecord
    /// A contact key of another person was set.
    private(set) var changesPerson = false
    /// Why setters of this edit were refused; each reason once, and only the first few.
    private(set) var rejections: [ValueError] = []
    /// As it was before the edit.
    private let former: ContactRecord
    /// An OpenID token identified the person to whom the former record belongs.
    private let wasProven: Bool
    /// The configured contact field.
    private let standardField: String?
    private var changes = RecordChanges()
    /// The result of every setter while nothing is accepted.
    private let suspension: ValueError?
    /// The size of the attributes and tags in a request, if it is known.
    private var bytes: Int?

    /// How many reasons are kept: a mistake in a loop must not push other reports out of their queue.
    static let maximumRejections = 16

    /// - Parameters:
    ///   - isProven: an OpenID token identified the person to whom the record belongs.
    ///   - standardField: the configured contact field.
    ///   - suspension: why nothing is accepted at present; nil if the record can be edited.
    init(
        _ record: ContactRecord, isProven: Bool = false, standardField: String? = nil, suspension: ValueError? = nil
    ) {
        self.record = record
        former = record
        wasProven = isProven
        self.standardField = standardField
        self.suspension = suspension
    }

    /// A contact key was set, even if it is the same one.
    var namesContact: Bool { changes.contactKey != nil }

    /// The former contact key was of another field than a key that is set here.
    var hadOtherField: Bool { former.isOther(field: nil, standard: standardField) }

    /// The contact key, if one is set.
    public var contactKey: String? { record.contactKey?.rawValue }
    /// The attributes that are sent, by key.
    public var attributes: [String: AttributeValue] { record.attributesByName }
    /// The tags, in order.
    public var tags: [String] { record.tagNames }
    /// The identity triple of a customer data platform, if one is set.
    public var partyIdentifier: PartyIdentifier? { record.partyIdentifier }
    /// The app's own switch for pushes.
    public var pushEnabled: Bool { record.pushEnabled }
}

// MARK: - The contact

extension RecordEdit {
    /// Sets the contact key and links the device to that contact, as
    /// ``BelfryClient/identify(contactKey:contactField:)`` does; trimmed, 1 to 255 characters, never cleared by this
    /// call (REG-9).
    ///
    /// A different key removes the party identifier, the attributes and the tags of the former contact. What the same
    /// edit sets belongs to the new contact, whether it is set before the key or after it (REG-8).
    @discardableResult
    public mutating func setContactKey(_ key: String?) -> EditResult {
        change { edit throws(ValueError) in
            var changes = edit.changes
            changes.contactKey = try ContactKey(key ?? "")
            let (record, isOther) = changes.applied(
                to: edit.former, wasProven: edit.wasProven, standardField: edit.standardField
            )
            // If it is the former contact's key again, its record may have no room for what the edit has set so far.
            try RecordSize.check(record, insteadOf: edit.record)
            edit.changes = changes
            edit.record = record
            edit.changesPerson = isOther
            edit.bytes = nil
        }
    }

    /// Sets the identity triple of a customer data platform; each part is trimmed and has 1 to 255 characters. The
    /// server stores it with the contact, where operators can search for it. It does not link the device to a contact
    /// (ID-9): for that there is ``BelfryClient/identify(partyIdentifier:)``, after which it cannot be changed here.
    @discardableResult
    public mutating func setPartyIdentifier(type: String, name: String, number: String) -> EditResult {
        change { edit throws(ValueError) in
            let party = try PartyIdentifier(type: type, name: name, number: number).parsed()
            guard !edit.record.isNamedByParty || edit.record.partyIdentifier == party else {
                throw ValueError(
                    code: "identifiesContact",
                    message: "The party identifier identifies the contact. Identify another contact, or log out first."
                )
            }
            edit.record.partyIdentifier = party
            edit.changes.partyIdentifier = party
        }
    }

    /// The app's own switch for pushes, separate from the system's permission.
    @discardableResult
    public mutating func setPushEnabled(_ isEnabled: Bool) -> EditResult {
        change { edit throws(ValueError) in
            edit.record.pushEnabled = isEnabled
            edit.changes.pushEnabled = isEnabled
        }
    }
}

// MARK: - Attributes

extension RecordEdit {
    /// Sets an attribute. A blank text is sent, and clears the value on the server (REG-10).
    ///
    /// - Parameters:
    ///   - key: trimmed, 1 to 128 characters, none of ``BelfryModel/AttributeKey/reservedWords``.
    ///   - value: trimmed; a text has at most 16,384 bytes, a number is finite. All attributes and tags together have
    ///     at most 983,040 bytes as JSON.
    @discardableResult
    public mutating func setAttribute(_ key: String?, to value: AttributeValue?) -> EditResult {
        change { edit throws(ValueError) in
            let parsed = try AttributeKey(key ?? "")
            guard let value else { throw Self.missingValue }
            let checked = try Self.checked(value.trimmed)
            let present = edit.record.attributes[parsed]
            guard edit.record.attributes.count < SnapshotReading.maximumEntries || present != nil else {
                throw RecordSize.tooMany
            }
            try edit.grow(
                by: RecordSize.bytes(parsed, checked), insteadOf: present.map { RecordSize.bytes(parsed, $0) } ?? 0
            )
            edit.record.attributes[parsed] = checked
            edit.changes.attributes.set(parsed, to: checked)
        }
    }

    /// Sets attributes, in the order of their keys; each has its own result, by the key as it was passed.
    @discardableResult
    public mutating func setAttributes(_ attributes: [String: AttributeValue]) -> [String: EditResult] {
        var results: [String: EditResult] = [:]
        for (key, value) in attributes.sorted(by: { $0.key < $1.key }) {
            results[key] = setAttribute(key, to: value)
        }
        return results
    }

    /// Stops sending an attribute; the server keeps its value (REG-10).
    @discardableResult
    public mutating func clearAttribute(_ key: String?) -> EditResult {
        change { edit throws(ValueError) in
            let parsed = try AttributeKey(key ?? "")
            edit.record.attributes[parsed] = nil
            edit.changes.attributes.remove(parsed)
            edit.bytes = nil
        }
    }

    /// Stops sending attributes; each key has its own result, in order.
    @discardableResult
    public mutating func clearAttributes(_ keys: [String]) -> [EditResult] {
        keys.map { clearAttribute($0) }
    }

    /// Stops sending all attributes; the server keeps their values (REG-10).
    @discardableResult
    public mutating func clearAllAttributes() -> EditResult {
        change { edit throws(ValueError) in
            edit.record.attributes = [:]
            edit.changes.attributes.removeAll()
            edit.bytes = nil
        }
    }

    private static let missingValue = ValueError(
        code: "missingValue", message: "An attribute needs a value. To clear it, use its key."
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

// MARK: - Tags

extension RecordEdit {
    /// Adds a tag; trimmed, 1 to 128 characters (REG-11).
    @discardableResult
    public mutating func addTag(_ tag: String?) -> EditResult {
        change { edit throws(ValueError) in
            let parsed = try Tag(tag ?? "")
            if !edit.record.tags.contains(parsed) {
                guard edit.record.tags.count < SnapshotReading.maximumEntries else { throw RecordSize.tooMany }
                try edit.grow(by: RecordSize.bytes(parsed))
            }
            edit.record.tags.insert(parsed)
            edit.changes.tags.set(parsed, to: true)
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
        change { edit throws(ValueError) in
            let parsed = try Tag(tag ?? "")
            edit.record.tags.remove(parsed)
            edit.changes.tags.remove(parsed)
            edit.bytes = nil
        }
    }

    /// Removes tags; each has its own result, in order.
    @discardableResult
    public mutating func removeTags(_ tags: [String]) -> [EditResult] {
        tags.map { removeTag($0) }
    }

    /// Removes all tags.
    @discardableResult
    public mutating func removeAllTags() -> EditResult {
        change { edit throws(ValueError) in
            edit.record.tags = []
            edit.changes.tags.removeAll()
            edit.bytes = nil
        }
    }
}

// MARK: - The common part of all setters

extension RecordEdit {
    /// Makes one change, or notes why it is refused; then nothing has changed.
    private mutating func change(_ body: (inout RecordEdit) throws(ValueError) -> Void) -> EditResult {
        if let suspension { return .refused(suspension) }
        do throws(ValueError) {
            try body(&self)
            return .accepted
        } catch {
            if rejections.count < Self.maximumRejections, !rejections.contains(error) { rejections.append(error) }
            return .refused(error)
        }
    }

    /// - Throws: when the record would be too large for one request. A record that is already too large may only
    ///   shrink.
    private mutating func grow(by added: Int, insteadOf removed: Int = 0) throws(ValueError) {
        let present = bytes ?? RecordSize.bytes(of: record)
        let next = present + added - removed
        guard next <= RecordSize.maximumBytes || next <= present else {
            bytes = present
            throw RecordSize.tooLarge
        }
        bytes = next
    }
}
