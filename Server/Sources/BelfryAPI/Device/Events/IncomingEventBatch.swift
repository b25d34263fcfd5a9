import BelfryModel
import BelfryServices
import BelfryWire
import Foundation

/// The two addresses of the event service: version 4 keeps a state on the client.
enum EventVersion: Hashable, Sendable {
    case v3
    case v4
}

/// The body of an upload (WIRE-6): its good events, what is wrong with its bad ones, and what clients of version 3 put
/// beside them. Whatever else is there (`language` …) is passed over. One pass over the bytes, without a decoder
/// (PERF-4).
struct IncomingEventBatch {
    /// The maximum number of campaigns in one response; the client keeps the others and sends them again.
    static let maximumCampaigns = 1_000

    private(set) var events: [Event] = []
    private(set) var rejected: [RejectedEvent] = []
    /// The campaigns of `viewedMessages` and `clicks`, each once. The displays and clicks themselves come as events.
    private(set) var campaigns: [String] = []
    /// How often `viewedMessages` names a campaign: the displays that the client reports.
    private(set) var views: [String: Int] = [:]
    /// `dnd`: the app wants no message in the response.
    private(set) var isQuiet = false
    /// An object, as JSON text.
    private var deviceEventState: String?

    /// - Parameter maximumEvents: a body with more is refused as a whole.
    init(
        _ bytes: [UInt8], client: DeviceID, maximumEvents: Int = WireLimits.maximumEventsPerRequest
    ) throws(APIError) {
        do {
            try read(bytes, EventCheck(client: client), maximumEvents: maximumEvents)
        } catch {
            throw APIError(error)
        }
    }

    /// Events of the body, good and bad.
    var count: Int { events.count + rejected.count }

    private mutating func read(_ bytes: [UInt8], _ check: EventCheck, maximumEvents: Int) throws(JSONError) {
        var reader = try JSONReader(bytes)
        var hasEvents = false
        var rows = CampaignRows()
        try reader.object { reader, key throws(JSONError) in
            switch key {
            case "events" where !reader.isAtNull:
                hasEvents = true
                try readEvents(&reader, check, maximum: maximumEvents)
            case "viewedMessages", "clicks": try rows.read(key, &reader)
            case "deviceEventState": deviceEventState = try reader.optionalObjectText()
            case "dnd":
                isQuiet = reader.next() == UInt8(ascii: "t")
                try reader.skipValue()
            default: try reader.skipValue()
            }
        }
        try reader.end()
        guard hasEvents else { throw .unexpected(field: "events", expected: "a list of events; it is missing") }
        campaigns = rows.names
        views = rows.views
    }

    /// Each element is read alone, so that a bad one is reported and the others are stored (EVT-4). If the key comes
    /// again, its last list counts.
    private mutating func readEvents(
        _ reader: inout JSONReader, _ check: EventCheck, maximum: Int
    ) throws(JSONError) {
        (events, rejected) = ([], [])
        try reader.list { reader throws(JSONError) in
            guard count < maximum else { throw .tooMany(field: "events", maximum: maximum) }
            let start = reader
            let raw: RawEvent
            do throws(JSONError) {
                raw = try RawEvent(&reader)
            } catch {
                reader = start
                // What is no JSON at all fails here again, and with it the whole body.
                let id = try RawEvent.skip(&reader)
                reject(id, error.reason)
                return
            }
            do throws(EventError) {
                events.append(try check.checked(raw))
            } catch {
                reject(raw.id, error.reason)
            }
        }
    }

    /// An invalid id is not repeated in the response.
    private mutating func reject(_ id: String?, _ reason: String) {
        let id = id.flatMap { try? EventID($0) }?.rawValue
        rejected.append(RejectedEvent(index: count, id: id, reason: reason))
    }

    /// The response as JSON; nil when it has no content (WIRE-6). Clients of version 3 keep displays and clicks until
    /// their campaign is named; those of version 4 keep a state for the server, which returns it unchanged.
    ///
    /// - Parameter v3InApp: what the client is told to show, or to do.
    func answer(to version: EventVersion, v3InApp: V3InAppBundle = V3InAppBundle()) throws -> [UInt8]? {
        let oldCampaigns = version == .v3 && !campaigns.isEmpty ? campaigns : nil
        let state = version == .v4 ? deviceEventState : nil
        let answer = EventBatchResponse(
            rejected: rejected.isEmpty ? nil : rejected, oldCampaigns: oldCampaigns, v3InApp: v3InApp
        )
        guard !answer.isEmpty || state != nil else { return nil }
        let json = try Array(JSONEncoder.responses.encode(answer))
        guard let state else { return json }
        // As it came: a decoder would not keep the numbers as they were written.
        let rest = json.count > 2 ? [UInt8(ascii: ",")] + json.dropFirst() : [UInt8(ascii: "}")]
        return Array(#"{"deviceEventState":\#(state)"#.utf8) + rest
    }
}
