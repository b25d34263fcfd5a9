import BelfryModel
import BelfryServices
import BelfryWire
import Foundation

/// The versions of the event service. Only version 4 keeps a state on the client.
enum EventVersion: Hashable, Sendable {
    case v3
    case v4
}

/// The body of an upload (WIRE-6): its valid events, the errors of its invalid ones, and the campaigns that clients of
/// version 3 add. All other members (`language` …) are skipped. The bytes are read in one pass, without a decoder
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
    /// The state for the server, a JSON object as text.
    private var deviceEventState: String?

    /// - Parameter maximumEvents: a body with more events is rejected as a whole.
    init(
        _ bytes: [UInt8], client: DeviceID, maximumEvents: Int = WireLimits.maximumEventsPerRequest
    ) throws(APIError) {
        do {
            try read(bytes, EventCheck(client: client), maximumEvents: maximumEvents)
        } catch {
            throw APIError(error)
        }
    }

    /// The number of events in the body, valid and invalid.
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

    /// Each element is read by itself, so that an invalid one is reported and the others are stored (EVT-4). If the key
    /// is repeated, its last list counts.
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
                // An element that is not JSON fails here again, and with it the whole body.
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
    /// the response names their campaign. Those of version 4 keep a state for the server, which returns it unchanged.
    ///
    /// - Parameter v3InApp: the messages to show and the actions to perform.
    func answer(to version: EventVersion, v3InApp: V3InAppBundle = V3InAppBundle()) throws -> [UInt8]? {
        let oldCampaigns = version == .v3 && !campaigns.isEmpty ? campaigns : nil
        let state = version == .v4 ? deviceEventState : nil
        let answer = EventBatchResponse(
            rejected: rejected.isEmpty ? nil : rejected, oldCampaigns: oldCampaigns, v3InApp: v3InApp
        )
        guard !answer.isEmpty || state != nil else { return nil }
        let json = try Array(JSONEncoder.responses.encode(answer))
        guard let state else { return json }
        // Copied as text: a decoder would not keep the spelling of the numbers.
        let rest = json.count > 2 ? [UInt8(ascii: ",")] + json.dropFirst() : [UInt8(ascii: "}")]
        return Array(#"{"deviceEventState":\#(state)"#.utf8) + rest
    }
}
