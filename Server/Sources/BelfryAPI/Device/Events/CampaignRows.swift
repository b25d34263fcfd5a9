import BelfryModel
import BelfryWire

/// The campaigns that a body of version 3 names beside its events: what was seen, and what was pressed.
struct CampaignRows {
    /// Each once, in their order.
    private(set) var names: [String] = []
    /// How many rows say that a campaign's message was seen.
    private(set) var views: [String: Int] = [:]
    private var known: Set<String> = []
    private var keys: Set<String> = []

    /// A key that comes again is passed over: an object may repeat one without end. Rows that are not what they should
    /// be are nobody's loss.
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
