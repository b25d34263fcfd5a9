import BelfryModel
import BelfryWire
import Foundation

/// Writes an event once, when it is tracked, as the JSON object that will be sent (EVT-1, EVT-8).
enum EventBody {
    /// - Throws: ``BelfryError/Code/invalidEvent`` with the limit that the event exceeds.
    static func json(_ event: Event) throws(BelfryError) -> Data {
        var text = JSONWriter()
        text.literal("{")
        text.key("id")
        text.string(event.id.rawValue)
        text.literal(",")
        text.key("type")
        text.string(event.kind.rawValue)
        text.literal(",")
        text.key("name")
        text.string(event.name.rawValue)
        text.literal(",")
        text.key("timestamp")
        text.timestamp(event.timestamp)
        if event.attributes.utf8.count > 2 {
            text.literal(",")
            text.key("attributes")
            text.raw(event.attributes)
        }
        if let sessionID = event.sessionID {
            text.literal(",")
            text.key("sessionId")
            text.string(sessionID)
        }
        text.literal("}")
        guard text.bytes.count <= EventLimits.maximumBytes else {
            throw BelfryError(
                .invalidEvent,
                "An event has at most \(EventLimits.maximumBytes) bytes; this one has \(text.bytes.count).",
                field: "attributes"
            )
        }
        return Data(text.bytes)
    }

    /// The attributes as JSON text for an event.
    static func attributes(_ attributes: [String: AttributeValue]) throws(BelfryError) -> String {
        guard !attributes.isEmpty else { return "{}" }
        guard attributes.count <= EventLimits.maximumAttributes else {
            throw BelfryError(
                .invalidEvent,
                "An event has at most \(EventLimits.maximumAttributes) attributes; this one has \(attributes.count).",
                field: "attributes"
            )
        }
        for (name, value) in attributes { try check(name, value) }
        var text = JSONWriter()
        text.attributes(attributes)
        return String(decoding: text.bytes, as: UTF8.self)
    }

    /// The server rejects an event with the null character, so the app hears of it at once (EVT-8). Events of the SDK's own
    /// have texts of others in them, such as the id of a push, and are recorded whatever these contain.
    static func rejectNull(in attributes: [String: AttributeValue]) throws(BelfryError) {
        for (name, value) in attributes {
            if name.utf8.contains(0) {
                throw BelfryError(
                    .invalidEvent, "The name of an attribute cannot contain the null character.", field: "attributes"
                )
            }
            if case .string(let text) = value, text.utf8.contains(0) {
                throw BelfryError(
                    .invalidEvent, "A value cannot contain the null character.", field: "attributes.\(name)"
                )
            }
        }
    }

    private static func check(_ name: String, _ value: AttributeValue) throws(BelfryError) {
        if name.isEmpty {
            throw BelfryError(.invalidEvent, "The name of an attribute cannot be empty.", field: "attributes")
        }
        if case .number(let number) = value, !number.isFinite {
            throw BelfryError(.invalidEvent, "A number must be finite.", field: "attributes.\(name)")
        }
    }
}
