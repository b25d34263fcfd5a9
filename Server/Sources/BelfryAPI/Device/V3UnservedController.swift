import BelfryServices
import Hummingbird

/// Addresses of Mobile Engage v3 that its clients call and Belfry does not serve (WIRE-29). The response is one that
/// clients understand as "nothing there", so that the app sees no error. The remote configuration is a 404, like every
/// unknown address: Belfry could not sign one, and without one a client keeps its built-in addresses.
enum V3UnservedController {
    private static let noGeofences = ByteBuffer(string: #"{"refreshRadiusRatio":0.3,"groups":[]}"#)
    private static let noProducts = ByteBuffer(string: #"{"cohort":"","features":{},"products":{}}"#)

    static let deviceRoutes: [Route<DeviceRequestContext>] = [
        Route(listGeofences) { services in
            { _, context in
                let caller = try services.authentication.authenticate(context.caller)
                return json(noGeofences).carrying(stateOf: try await services.clients.checkLink(of: caller))
            }
        }
    ]

    static let openRoutes: [Route<APIRequestContext>] = [
        Route(recommendProducts) { _ in { _, _ in json(noProducts) } },
        Route(trackDeepLink) { _ in { _, _ in Response(status: .noContent) } },
    ]

    private static let listGeofences = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/geo-fences", id: "listGeofences", area: .device, access: .linkedDevice,
        summary: "Read the geofences of a v3 client", description: "Belfry has none.",
        responses: [
            OperationResponse(
                status: 200, description: "No geofences.",
                schema: .object([
                    "refreshRadiusRatio": .number(0...1), "groups": .list(of: .object([:])),
                ])
            )
        ]
    )

    private static let recommendProducts = APIOperation(
        method: .get, path: "/merchants/{merchantId}", id: "recommendProducts", area: .device, access: .open,
        summary: "Answer a v3 client's request to Predict",
        description: "Belfry recommends no products, and stores nothing of the request.",
        responses: [
            OperationResponse(
                status: 200, description: "No products.",
                schema: .object([
                    "cohort": .string(), "features": .object([:]), "products": .object([:]),
                ])
            )
        ]
    )

    private static let trackDeepLink = APIOperation(
        method: .post, path: "/api/clicks", id: "trackDeepLink", area: .device, access: .open,
        summary: "Take a v3 client's deep-link click",
        description: "Belfry makes no such links. The body is not read, and nothing is stored or counted.",
        responses: [.done("The client continues with its queue.")]
    )

    private static func json(_ body: ByteBuffer) -> Response {
        Response(
            status: .ok, headers: [.contentType: "application/json"], body: ResponseBody(byteBuffer: body)
        )
    }
}
