import BelfryModel
import BelfryWire

/// The campaigns that a body of version 3 lists beside its events: viewed and clicked messages.
struct CampaignRows {
    /// The campaigns' names, each once, in their order.
    private(set) var names: [String] = []
    /// How many rows report that a campaign's message was viewed.
    private(set) var views: [String: Int] = [:]
    private var known: Set<String> = []
    private var keys: Set<String> = []

    /// Reads one list. A repeated key is skipped, because an object may repeat one any number of times. Invalid rows
    /// are skipped, too.
    mutating func read(_ key: String, _ reader: inout JSONReader) throws(JSONError) {
        guard keys.insert(key).inserted else { return try reader.skipValue() }
        let start = reader
        var found: [String] = []
        do {
            try reader.list { reader throws(JSONError) in
                try reader.object { reader, key throws(JSONError) in
                    guard key == "campaignId" else { return try reader.skipValue() }
                    found.append(try reader.string())
                }
            }
        } catch {
            reader = start
            return try reader.skipValue()
        }
        for name in found {
            if !known.contains(name) {
                guard names.count < IncomingEventBatch.maximumCampaigns else { continue }
                known.insert(name)
                names.append(name)
            }
            if key == "viewedMessages" { views[name, default: 0] += 1 }
        }
    }
}
