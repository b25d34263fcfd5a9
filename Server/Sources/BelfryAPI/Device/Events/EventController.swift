import BelfryModel
import BelfryServices
import BelfryWire
import Hummingbird

/// Ingests events (WIRE-6): valid events are stored, and the response names the invalid ones.
struct EventController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(sendEvents) { Self(services: $0, version: .v3).store },
        Route(sendEventsOfVersion4) { Self(services: $0, version: .v4).store },
    ]

    private static let sendEvents = APIOperation(
        method: .post, path: "/v3/apps/{appCode}/client/events", id: "sendEvents", area: .device, access: .linkedDevice,
        summary: "Send events",
        description: "Each id is stored once, even if it is sent again. An invalid event does not affect the others.",
        body: APIOperation.Body(IncomingEventBatch.self), responses: eventResponses
    )

    private static let sendEventsOfVersion4 = APIOperation(
        method: .post, path: "/v4/apps/{appCode}/client/events", id: "sendEventsOfVersion4", area: .device,
        access: .linkedDevice, summary: "Send events, at the path of version 4",
        description: "Same as `sendEvents`; clients of version 3 use this path.",
        body: APIOperation.Body(IncomingEventBatch.self), responses: eventResponses
    )

    private static let eventResponses: [OperationResponse] = [
        .ok(EventBatchResponse.self, "The valid events were stored; the body has details."),
        .done("All events were stored."),
    ]

    let services: APIServices
    let version: EventVersion

    private func store(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let meter = services.meter(of: context)
        let bytes = try await request.bodyBytes(meter: meter)
        let batch = try IncomingEventBatch(bytes, client: caller.client)
        let stored = try await meter.storing(bytes: bytes.count, events: batch.count) {
            try await services.events.store(batch.events, caller: caller)
        }
        let v3InApp = await v3InApp(for: batch, new: stored.value, caller)
        guard let json = try batch.answer(to: version, v3InApp: v3InApp) else {
            return Response(status: .noContent).carrying(stateOf: stored)
        }
        return Response.json(bytes: json).carrying(stateOf: stored)
    }

    /// The messages that the client is to show, and the actions that it is to perform (IAM-13).
    private func v3InApp(for batch: IncomingEventBatch, new places: [Int], _ caller: AuthenticatedCaller) async
        -> V3InAppBundle
    {
        guard !batch.isQuiet else { return V3InAppBundle() }
        let events = places.map { batch.events[$0] }
        // The events are stored, so an error here must not make the client send them again.
        return (try? await services.v3InAppMessages.answer(to: events, shown: batch.views, for: caller))
            ?? V3InAppBundle()
    }
}
