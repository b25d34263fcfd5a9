import BelfryServices
import Hummingbird

/// The endpoint for the description of the APIs (WIRE-28).
enum OpenAPIController {
    /// - Parameter description: is called when the routes are set up, so that the first caller does not wait.
    static func route(_ description: @escaping @Sendable () -> PackedBody) -> Route<APIRequestContext> {
        Route(operation) { services in
            let description = description()
            return { request, context in
                try services.limits.admitUnauthenticated(at: context.peer, request.headers)
                return description.response(to: request, type: "application/json")
            }
        }
    }

    private static let operation = APIOperation(
        method: .get, path: "/openapi.json", id: "readDescription", area: .service, access: .open,
        summary: "Read this description",
        responses: [OperationResponse(status: 200, description: "In OpenAPI 3.1.", schema: .anyObject)],
        errors: [.tooMany]
    )
}
