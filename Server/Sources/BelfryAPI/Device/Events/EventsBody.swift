import BelfryModel
import BelfryWire

/// The body of an upload (WIRE-6): the events, and what clients of version 3 put beside them and wait to hear of.
/// Whatever else is there (`language` …) is passed over. One pass over the bytes, without a decoder (PERF-4).
struct EventsBody: Hashable, Sendable {
    /// Campaigns that one answer names; the client keeps the others and brings them again.
    static let maximumCampaigns = 1_000

    private(set) var readings: [EventReading] = []
    /// The campaigns of `viewedMessages` and `clicks`, each once. What happened, events say too.
    private(set) var campaigns: [String] = []
    /// How often `viewedMessages` names a campaign.
    private(set) var views: [String: Int] = [:]
    /// `dnd`: the app wants no message in the answer.
    private(set) var isQuiet = false
    /// An object, as JSON text.
    private(set) var deviceEventState: String?

    init(_ bytes: [UInt8], maximumEvents: Int = WireLimits.maximumEventsPerRequest) throws(JSONError) {
        var reader = try JSONReader(bytes)
        var readings: [EventReading]?
        var campaigns = CampaignRows()
        var isQuiet = false
        var state: String?
        try reader.object { reader, key throws(JSONError) in
            switch key {
            case "events" where !reader.isAtNull: readings = try Self.events(&reader, maximum: maximumEvents)
            case "viewedMessages", "clicks": try campaigns.read(key, &reader)
            case "deviceEventState": state = try reader.optionalObjectText()
            case "dnd":
                isQuiet = reader.next() == UInt8(ascii: "t")
                try reader.skipValue()
            default: try reader.skipValue()
            }
        }
        try reader.end()
        guard let readings else { throw .unexpected(field: "events", expected: "a list of events; it is missing") }
        self.readings = readings
        self.campaigns = campaigns.names
        views = campaigns.views
        self.isQuiet = isQuiet
        deviceEventState = state
    }

    private static func events(
        _ reader: inout JSONReader, maximum: Int
    ) throws(JSONError) -> [EventReading] {
        var list: [EventReading] = []
        try reader.list { reader throws(JSONError) in
            guard list.count < maximum else { throw .tooMany(field: "events", maximum: maximum) }
            list.append(try EventReading.one(&reader))
        }
        return list
    }
}
