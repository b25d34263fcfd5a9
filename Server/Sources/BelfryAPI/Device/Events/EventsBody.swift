import BelfryModel
import BelfryWire

/// The body of an upload (WIRE-6): the events, and what clients of version 3 put beside them and wait to hear of.
/// Whatever else is there (`dnd`, `language` …) is passed over. One pass over the bytes; no decoder, for speed (PERF-4).
struct EventsBody: Hashable, Sendable {
    private(set) var readings: [EventReading] = []
    /// The campaigns of `viewedMessages` and `clicks`, each once. What happened, events say too.
    private(set) var campaigns: [String] = []
    /// An object, as JSON text.
    private(set) var deviceEventState: String?

    init(_ bytes: [UInt8]) throws(JSONFault) {
        var reader = try JSONReader(bytes)
        var readings: [EventReading]?
        var campaigns: [String] = []
        var state: String?
        try reader.object { reader, key throws(JSONFault) in
            switch key {
            case "events" where !reader.isAtNull: readings = try Self.events(&reader)
            case "viewedMessages", "clicks": try Self.addCampaigns(to: &campaigns, &reader)
            case "deviceEventState": state = try reader.objectTextIfAny()
            default: try reader.skipValue()
            }
        }
        try reader.end()
        guard let readings else { throw .unexpected(field: "events", expected: "a list of events; it is missing") }
        self.readings = readings
        self.campaigns = campaigns
        deviceEventState = state
    }

    private static func events(_ reader: inout JSONReader) throws(JSONFault) -> [EventReading] {
        var list: [EventReading] = []
        try reader.list { reader throws(JSONFault) in
            guard list.count < WireLimits.maximumEventsPerRequest else {
                throw .tooMany(field: "events", maximum: WireLimits.maximumEventsPerRequest)
            }
            list.append(try EventReading.one(&reader))
        }
        return list
    }

    /// Rows that are not what they should be are nobody's loss.
    private static func addCampaigns(to campaigns: inout [String], _ reader: inout JSONReader) throws(JSONFault) {
        let start = reader
        var found = Set(campaigns)
        var added: [String] = []
        do {
            try reader.list { reader throws(JSONFault) in
                try reader.object { reader, key throws(JSONFault) in
                    guard key == "campaignId" else { return try reader.skipValue() }
                    let campaign = try reader.string()
                    if found.insert(campaign).inserted { added.append(campaign) }
                }
            }
            campaigns += added
        } catch {
            reader = start
            try reader.skipValue()
        }
    }
}
