import BelfryModel
import BelfryWire

/// One element of `events` as it was read: alone, so that a bad one is reported and the others are stored (EVT-4).
enum EventReading: Hashable, Sendable {
    case read(WireEvent)
    /// The id, if it could be read, and what is wrong.
    case refused(id: String?, reason: String)
}

extension EventReading {
    /// The events of a body (WIRE-6). Whatever else v3 clients put beside them (`clicks`, `viewedMessages`, `dnd`,
    /// `deviceEventState`, `language` …) is passed over. One pass over the bytes; no decoder, for speed (PERF-4).
    static func all(in bytes: [UInt8]) throws(JSONFault) -> [EventReading] {
        var reader = try JSONReader(bytes)
        var events: [EventReading]?
        try reader.object { reader, key throws(JSONFault) in
            guard key == "events", !reader.isAtNull else { return try reader.skipValue() }
            var list: [EventReading] = []
            try reader.list { reader throws(JSONFault) in
                guard list.count < WireLimits.maximumEventsPerRequest else {
                    throw .tooMany(field: "events", maximum: WireLimits.maximumEventsPerRequest)
                }
                list.append(try one(&reader))
            }
            events = list
        }
        try reader.end()
        guard let events else { throw .unexpected(field: "events", expected: "a list of events; it is missing") }
        return events
    }

    private static func one(_ reader: inout JSONReader) throws(JSONFault) -> EventReading {
        let start = reader
        var event = WireEvent()
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

    private static func fill(_ event: inout WireEvent, from reader: inout JSONReader) throws(JSONFault) {
        var read = event
        try reader.object { reader, key throws(JSONFault) in
            switch key {
            case "id": read.id = try reader.stringIfAny()
            case "type": read.type = try reader.stringIfAny()
            case "name": read.name = try reader.stringIfAny()
            case "timestamp": read.timestamp = try reader.stringIfAny()
            case "sessionId": read.sessionId = try reader.stringIfAny()
            case "contact": read.contact = try reader.stringIfAny()
            case "attributes": read.attributes = try attributes(&reader)
            default: try reader.skipValue()
            }
        }
        event = read
    }

    private static func attributes(_ reader: inout JSONReader) throws(JSONFault) -> [String: AttributeValue]? {
        guard !reader.isAtNull else {
            try reader.skipValue()
            return nil
        }
        var attributes: [String: AttributeValue] = [:]
        try reader.object { reader, key throws(JSONFault) in
            attributes[key] = try reader.attributeValueIfAny()
        }
        return attributes
    }

    /// Passes over an event that is wrong and picks its id up for the report.
    private static func skip(_ reader: inout JSONReader) throws(JSONFault) -> String? {
        let start = reader
        try reader.skipValue()
        var again = start
        var id: String?
        try? again.object { reader, key throws(JSONFault) in
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
