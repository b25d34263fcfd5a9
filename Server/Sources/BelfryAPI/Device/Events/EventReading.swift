import BelfryModel
import BelfryWire

/// One element of `events` as it was read: alone, so that a bad one is reported and the others are stored (EVT-4).
enum EventReading: Hashable, Sendable {
    case read(RawEvent)
    /// The id, if it could be read, and what is wrong.
    case refused(id: String?, reason: String)
}

extension EventReading {
    static func one(_ reader: inout JSONReader) throws(JSONError) -> EventReading {
        let start = reader
        var event = RawEvent()
        do {
            try fill(&event, from: &reader)
            return .read(event)
        } catch {
            reader = start
            // What is no JSON at all fails here again, and with it the whole body.
            let id = try skip(&reader)
            return .refused(id: id, reason: error.reason)
        }
    }

    private static func fill(_ event: inout RawEvent, from reader: inout JSONReader) throws(JSONError) {
        var read = event
        try reader.object { reader, key throws(JSONError) in
            switch key {
            case "id": read.id = try reader.optionalString()
            case "type": read.type = try reader.optionalString()
            case "name": read.name = try reader.optionalString()
            case "timestamp": read.timestamp = try reader.optionalString()
            case "sessionId": read.sessionId = try reader.optionalString()
            case "contact": read.contact = try reader.optionalString()
            case "attributes": read.attributes = try attributes(&reader)
            default: try reader.skipValue()
            }
        }
        event = read
    }

    private static func attributes(_ reader: inout JSONReader) throws(JSONError) -> RawEvent.Attributes? {
        if let text = reader.plainObject(maximumMembers: EventLimits.maximumAttributes) { return .text(text) }
        guard !reader.isAtNull else {
            try reader.skipValue()
            return nil
        }
        var attributes: [String: AttributeValue] = [:]
        try reader.object { reader, key throws(JSONError) in
            attributes[key] = try reader.optionalAttributeValue()
        }
        return .values(attributes)
    }

    /// Passes over an event that is wrong and picks its id up for the report.
    private static func skip(_ reader: inout JSONReader) throws(JSONError) -> String? {
        let start = reader
        try reader.skipValue()
        var again = start
        var id: String?
        try? again.object { reader, key throws(JSONError) in
            let value = reader
            if key == "id", let text = try? reader.string() {
                id = text
            } else {
                reader = value
                try reader.skipValue()
            }
        }
        return id
    }
}

/// One event as a body has it, before it is checked. Everything is optional, so that one bad event is reported alone.
struct RawEvent: Hashable, Sendable {
    /// The attributes of an event.
    enum Attributes: Hashable, Sendable {
        /// An object as JSON text that can be stored as it stands.
        case text(String)
        case values([String: AttributeValue])
    }

    var id: String?
    var type: String?
    var name: String?
    var timestamp: String?
    var attributes: Attributes?
    var sessionId: String?
    var contact: String?
}
