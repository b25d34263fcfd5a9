import BelfryModel
import BelfryServices
import BelfryWire

/// Checks an event before it is stored (EVT-8).
struct EventCheck: Sendable {
    static let maximumSessionIDLength = 128

    let client: DeviceID

    /// The event, with its attributes as the JSON text that is stored.
    func checked(_ raw: RawEvent) throws(EventError) -> Event {
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
        let attributes = try attributes(of: raw)
        let id =
            try id(raw.id)
            ?? EventID.derived(
                client: client, timestamp: timestamp, name: name, session: session, attributes: attributes
            )
        return Event(
            id: id, kind: kind, name: name, timestamp: timestamp, attributes: attributes, sessionID: session,
            contactReference: raw.contact
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

    private func attributes(of raw: RawEvent) throws(EventError) -> String {
        let beside = (raw.id?.utf8.count ?? 0) + (raw.name?.utf8.count ?? 0) + (raw.sessionId?.utf8.count ?? 0)
        let text: String
        switch raw.attributes {
        case nil: text = "{}"
        case .text(let plain):
            // The id is derived from the sorted text, so that two spellings of the same event have the same id.
            text = try raw.id == nil ? Self.text(of: Self.values(of: plain)) : plain
        case .values(let values):
            guard values.count <= EventLimits.maximumAttributes else {
                throw EventError("attributes", "an event has at most \(EventLimits.maximumAttributes)")
            }
            try Self.rejectNull(in: values)
            text = Self.text(of: values)
        }
        guard text.utf8.count + beside <= EventLimits.maximumBytes else {
            throw EventError("attributes", "an event has at most \(EventLimits.maximumBytes) bytes")
        }
        return text
    }

    /// Plain text has no escapes, and so none.
    private static func rejectNull(in attributes: [String: AttributeValue]) throws(EventError) {
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
        var json = JSONWriter(capacity: 32 * attributes.count)
        json.attributes(attributes)
        return String(decoding: json.bytes, as: UTF8.self)
    }
}

/// The reason why one event is not stored.
struct EventError: Error, Hashable, Sendable {
    let reason: String

    init(_ field: String, _ what: String) {
        reason = "\(field): \(what)"
    }
}
