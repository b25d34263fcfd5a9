import BelfryModel
import BelfryServices
import BelfryWire
import Foundation

/// The two addresses of the event service: version 4 keeps a state on the client.
enum EventVersion: Hashable, Sendable {
    case v3
    case v4
}

/// The events of one request, parted into what is stored and what is not.
struct IncomingEventBatch {
    private(set) var events: [IncomingEvent] = []
    private(set) var rejected: [RejectedEvent] = []
    private let body: EventsBody

    /// - Parameter maximumEvents: a body with more is refused before any of them is checked.
    init(
        _ bytes: [UInt8], client: DeviceID, maximumEvents: Int = WireLimits.maximumEventsPerRequest
    ) throws(APIError) {
        do {
            body = try EventsBody(bytes, maximumEvents: maximumEvents)
        } catch {
            throw APIError(error)
        }
        let readings = body.readings
        let check = EventCheck(client: client)
        events.reserveCapacity(readings.count)
        for (index, reading) in readings.enumerated() {
            switch reading {
            case .refused(let id, let reason):
                reject(index, id, reason)
            case .read(let raw):
                do {
                    events.append(try check.checked(raw))
                } catch {
                    reject(index, raw.id, error.reason)
                }
            }
        }
    }

    /// Events of the body, good and bad.
    var count: Int { body.readings.count }
    /// Whether the app wants no message in the answer.
    var isQuiet: Bool { body.isQuiet }
    /// How often the client says that a campaign's message was seen.
    var views: [String: Int] { body.views }

    /// What there is to say of it, as JSON; nil when there is nothing (WIRE-6). Clients of version 3 keep what was seen
    /// and pressed until it is named; those of version 4 keep a state for the server, which has nothing to add to it.
    ///
    /// - Parameter overlay: what the client is told to show, or to do.
    func answer(to version: EventVersion, v3InApp: V3InAppBundle = V3InAppBundle()) throws -> [UInt8]? {
        let campaigns = version == .v3 && !body.campaigns.isEmpty ? body.campaigns : nil
        let state = version == .v4 ? body.deviceEventState : nil
        let answer = EventBatchResponse(
            rejected: rejected.isEmpty ? nil : rejected, oldCampaigns: campaigns, v3InApp: v3InApp
        )
        guard !answer.isEmpty || state != nil else { return nil }
        let json = try Array(JSONEncoder.responses.encode(answer))
        guard let state else { return json }
        // As it came: no decoder would give the numbers back as they were written.
        let rest = json.count > 2 ? [UInt8(ascii: ",")] + json.dropFirst() : [UInt8(ascii: "}")]
        return Array(#"{"deviceEventState":\#(state)"#.utf8) + rest
    }

    /// An id that is none itself is not repeated.
    private mutating func reject(_ index: Int, _ id: String?, _ reason: String) {
        let id = id.flatMap { try? EventID($0) }?.rawValue
        rejected.append(RejectedEvent(index: index, id: id, reason: reason))
    }
}
