import BelfryModel
import BelfryWire

/// The body of an upload (WIRE-6): the events, and what clients of version 3 put beside them and wait to hear of.
/// Whatever else is there (`dnd`, `language` …) is passed over. One pass over the bytes, without a decoder (PERF-4).
struct EventsBody: Hashable, Sendable {
    /// Campaigns that one answer names; the client keeps the others and brings them again.
    static let maximumCampaigns = 1_000

    private(set) var readings: [EventReading] = []
    /// The campaigns of `viewedMessages` and `clicks`, each once. What happened, events say too.
    private(set) var campaigns: [String] = []
    /// An object, as JSON text.
    private(set) var deviceEventState: String?

    init(_ bytes: [UInt8], maximumEvents: Int = WireLimits.maximumEventsPerRequest) throws(JSONFault) {
        var reader = try JSONReader(bytes)
        var readings: [EventReading]?
        var campaigns = OldCampaigns()
        var state: String?
        try reader.object { reader, key throws(JSONFault) in
            switch key {
            case "events" where !reader.isAtNull: readings = try Self.events(&reader, maximum: maximumEvents)
            case "viewedMessages", "clicks": try campaigns.read(key, &reader)
            case "deviceEventState": state = try reader.objectTextIfAny()
            default: try reader.skipValue()
            }
        }
        try reader.end()
        guard let readings else { throw .unexpected(field: "events", expected: "a list of events; it is missing") }
        self.readings = readings
        self.campaigns = campaigns.names
        deviceEventState = state
    }

    private static func events(
        _ reader: inout JSONReader, maximum: Int
    ) throws(JSONFault) -> [EventReading] {
        var list: [EventReading] = []
        try reader.list { reader throws(JSONFault) in
            guard list.count < maximum else { throw .tooMany(field: "events", maximum: maximum) }
            list.append(try EventReading.one(&reader))
        }
        return list
    }
}

/// The campaigns that a body names beside its events.
private struct OldCampaigns {
    private(set) var names: [String] = []
    private var known: Set<String> = []
    private var keys: Set<String> = []

    /// A key that comes again is passed over: an object may repeat one without end. Rows that are not what they should
    /// be are nobody's loss.
    mutating func read(_ key: String, _ reader: inout JSONReader) throws(JSONFault) {
        guard keys.insert(key).inserted else { return try reader.skipValue() }
        let start = reader
        var found: [String] = []
        do {
            try reader.list { reader throws(JSONFault) in
                try reader.object { reader, key throws(JSONFault) in
                    guard key == "campaignId" else { return try reader.skipValue() }
                    found.append(try reader.string())
                }
            }
        } catch {
            reader = start
            return try reader.skipValue()
        }
        for name in found where names.count < EventsBody.maximumCampaigns {
            if known.insert(name).inserted { names.append(name) }
        }
    }
}
