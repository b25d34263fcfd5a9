import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Takes events in (WIRE-6): the good ones are stored, the bad ones named.
struct EventController: Sendable {
    let services: APIServices

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        group.post("client/events", use: store)
    }

    private func store(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let batch = try EventBatch(try await request.bodyBytes(), client: caller.client)
        let answer = try await services.events.store(batch.events, caller: caller)
        guard !batch.rejected.isEmpty else { return Response(status: .noContent).carrying(stateOf: answer) }
        return try Response.json(EventBatchAnswer(rejected: batch.rejected)).carrying(stateOf: answer)
    }
}

/// The events of one request, parted into what is stored and what is not.
private struct EventBatch {
    private(set) var events: [(event: Event, attributes: String)] = []
    private(set) var rejected: [RejectedEvent] = []

    init(_ bytes: [UInt8], client: DeviceID) throws(APIError) {
        let readings: [EventReading]
        do {
            readings = try EventReading.all(in: bytes)
        } catch {
            throw APIError(error)
        }
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

    /// An id that is none itself is not repeated.
    private mutating func reject(_ index: Int, _ id: String?, _ reason: String) {
        let id = id.flatMap { try? EventID($0) }?.rawValue
        rejected.append(RejectedEvent(index: index, id: id, reason: reason))
    }
}
