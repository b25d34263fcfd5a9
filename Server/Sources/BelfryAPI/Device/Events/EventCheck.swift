import BelfryModel
import BelfryServices
import BelfryWire

/// What an event must be before it is stored (EVT-8).
struct EventCheck: Sendable {
    static let maximumSessionIDLength = 128

    let client: DeviceID

    /// The event, with its attributes as the JSON text that is stored: sorted, so that equal ones are equal texts.
    func checked(_ raw: RawEvent) throws(EventError) -> IncomingEvent {
        let kind = try kind(raw.type)
        let name = try name(raw.name)
        guard let text = raw.timestamp else { throw EventError("timestamp", "is missing") }
        guard let timestamp = Timestamp.date(text) else {
            throw EventError("timestamp", "expected an ISO 8601 date with an offset, such as 2026-11-21T12:00:00.000Z")
        }
        let session = raw.sessionId?.isEmpty == true ? nil : raw.sessionId
        guard (session?.count ?? 0) <= Self.maximumSessionIDLength, session?.utf8.contains(0) != true else {
            throw EventError(
                "sessionId", "has at most \(Self.maximumSessionIDLength) characters, none of them the null character")
        }
        let attributes = try attributes(of: raw, kind: kind)
        let id =
            try id(raw.id)
            ?? EventID.derived(
                client: client, timestamp: timestamp, name: name, session: session, attributes: attributes.text
            )
        return IncomingEvent(
            id: id, kind: kind, name: name, timestamp: timestamp, sessionID: session, contactReference: raw.contact,
            attributes: attributes.text, sid: attributes.subject.sid, messageID: attributes.subject.messageID
        )
    }

    private func kind(_ raw: String?) throws(EventError) -> Event.Kind {
        guard let raw else { throw EventError("type", "is missing; it is custom or internal") }
        guard let kind = Event.Kind(rawValue: raw) else {
            throw EventError("type", "is custom or internal, not '\(raw.prefix(32))'")
        }
        return kind
    }

    private func name(_ raw: String?) throws(EventError) -> EventName {
        guard let raw else { throw EventError("name", "is missing") }
        do {
            return try EventName(raw)
        } catch {
            throw EventError("name", error.message)
        }
    }

    private func id(_ raw: String?) throws(EventError) -> EventID? {
        guard let raw else { return nil }
        do {
            return try EventID(raw)
        } catch {
            throw EventError("id", error.message)
        }
    }

    /// What an event of the SDK's own is about.
    private struct Subject {
        /// A push.
        let sid: String?
        /// A message of a center.
        let messageID: String?

        init(_ attributes: [String: AttributeValue] = [:]) {
            sid = Self.text("sid", attributes)
            messageID = Self.text("messageId", attributes)
        }

        private static func text(_ key: String, _ attributes: [String: AttributeValue]) -> String? {
            guard case .string(let text)? = attributes[key] else { return nil }
            return text
        }
    }

    /// The attributes as text, and what they name.
    private func attributes(
        of raw: RawEvent, kind: Event.Kind
    ) throws(EventError) -> (text: String, subject: Subject) {
        let beside = (raw.id?.utf8.count ?? 0) + (raw.name?.utf8.count ?? 0) + (raw.sessionId?.utf8.count ?? 0)
        let text: String
        var subject = Subject()
        switch raw.attributes {
        case .text(let plain) where raw.id != nil && kind == .custom:
            text = plain
        case nil:
            text = "{}"
        case .text(let plain):
            // Only the sorted text makes one id of two spellings, and only the values tell push and message.
            let values = try Self.values(of: plain)
            text = Self.text(of: values)
            subject = Subject(values)
        case .values(let values):
            guard values.count <= EventLimits.maximumAttributes else {
                throw EventError("attributes", "an event has at most \(EventLimits.maximumAttributes)")
            }
            try Self.refuseNull(in: values)
            text = Self.text(of: values)
            subject = Subject(values)
        }
        guard text.utf8.count + beside <= EventLimits.maximumBytes else {
            throw EventError("attributes", "an event has at most \(EventLimits.maximumBytes) bytes")
        }
        return (text, subject)
    }

    /// Plain text has no escapes, and so none.
    private static func refuseNull(in attributes: [String: AttributeValue]) throws(EventError) {
        let hasNull = attributes.contains { key, value in
            guard case .string(let text) = value else { return key.utf8.contains(0) }
            return key.utf8.contains(0) || text.utf8.contains(0)
        }
        guard !hasNull else { throw EventError("attributes", "keys and values cannot contain the null character") }
    }

    private static func values(of text: String) throws(EventError) -> [String: AttributeValue] {
        do {
            var values: [String: AttributeValue] = [:]
            var reader = try JSONReader(Array(text.utf8))
            try reader.object { reader, key throws(JSONError) in values[key] = try reader.optionalAttributeValue() }
            return values
        } catch {
            throw EventError("attributes", error.reason)
        }
    }

    private static func text(of attributes: [String: AttributeValue]) -> String {
        guard !attributes.isEmpty else { return "{}" }
        var json = JSONWriter(capacity: 32 * attributes.count)
        json.literal("{")
        for (index, (key, value)) in attributes.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { json.literal(",") }
            json.string(key)
            json.literal(":")
            json.value(value)
        }
        json.literal("}")
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

/// Why one event is not stored.
struct EventError: Error, Hashable, Sendable {
    let reason: String

    init(_ field: String, _ what: String) {
        reason = "\(field): \(what)"
    }
}
