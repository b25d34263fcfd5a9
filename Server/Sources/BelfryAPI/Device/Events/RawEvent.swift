import BelfryModel
import BelfryWire

/// One unchecked element of `events`. All members are optional, so that an invalid event can be reported by itself
/// (EVT-4).
struct RawEvent: Hashable, Sendable {
    /// The attributes of an event.
    enum Attributes: Hashable, Sendable {
        /// An object as JSON text that can be stored unchanged.
        case text(String)
        case values([String: AttributeValue])
    }

    private(set) var id: String?
    private(set) var type: String?
    private(set) var name: String?
    private(set) var timestamp: String?
    private(set) var attributes: Attributes?
    private(set) var sessionId: String?
    private(set) var contact: String?

    init(_ reader: inout JSONReader) throws(JSONError) {
        try reader.object { reader, key throws(JSONError) in
            switch key {
            case "id": id = try reader.optionalString()
            case "type": type = try reader.optionalString()
            case "name": name = try reader.optionalString()
            case "timestamp": timestamp = try reader.optionalString()
            case "sessionId": sessionId = try reader.optionalString()
            case "contact": contact = try reader.optionalString()
            case "attributes": attributes = try Self.attributes(&reader)
            default: try reader.skipValue()
            }
        }
    }

    private static func attributes(_ reader: inout JSONReader) throws(JSONError) -> Attributes? {
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

    /// Skips an invalid event and returns its id for the report.
    static func skip(_ reader: inout JSONReader) throws(JSONError) -> String? {
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
