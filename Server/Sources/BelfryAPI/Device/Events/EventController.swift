import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Takes events in (WIRE-6): the good ones are stored, the bad ones named.
struct EventController: Sendable {
    let services: APIServices
    let version: EventVersion

    func addRoutes(to group: RouterGroup<DeviceRequestContext>) {
        group.post("client/events", use: store)
    }

    private func store(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let meter = services.meter(of: context)
        let bytes = try await request.bodyBytes(meter: meter)
        let batch = try EventBatch(bytes, client: caller.client)
        let stored = try await meter.storing(bytes: bytes.count, events: batch.count) {
            try await services.events.store(batch.events, caller: caller)
        }
        let overlay = await overlay(for: batch, new: stored.value, caller)
        guard let json = try batch.answer(to: version, overlay: overlay) else {
            return Response(status: .noContent).carrying(stateOf: stored)
        }
        return Response.json(bytes: json).carrying(stateOf: stored)
    }

    /// What the client is told to show, or to do (IAM-13).
    private func overlay(for batch: EventBatch, new places: [Int], _ caller: AuthenticatedCaller) async -> Overlay {
        guard !batch.isQuiet else { return Overlay() }
        let events = places.map { batch.events[$0] }
        // The events are stored: whatever fails here is no reason to have them sent again.
        return (try? await services.overlays.answer(to: events, shown: batch.views, for: caller)) ?? Overlay()
    }
}
