import BelfryServices
import BelfryWire
import Hummingbird

/// The endpoint for a device's in-app messages (WIRE-9).
struct InAppController: Sendable {
    static let routes: [Route<DeviceRequestContext>] = [
        Route(syncInAppMessages) { Self(services: $0).messages }
    ]

    private static let syncInAppMessages = APIOperation(
        method: .get, path: "/v3/apps/{appCode}/client/in-app-messages", id: "syncInAppMessages", area: .device,
        access: .linkedDevice, summary: "Sync in-app messages",
        description: """
            The messages that the device does not have, or has in another version, and those that it must remove. A \
            message is in `recalled` when its campaign was recalled, or when the device left the audience before it \
            showed the message. An invalid cursor, or one of another device or contact, counts as none: the response \
            has all messages.
            """,
        parameters: [
            OperationParameter(
                name: "since", place: .query, schema: .string(0...InAppService.maximumCursorLength),
                description: "The cursor of the last response that the device has completely applied."
            )
        ],
        responses: [.ok(InAppSyncResponse.self, "The changes.")]
    )

    let services: APIServices

    private func messages(_ request: Request, _ context: DeviceRequestContext) async throws -> Response {
        let caller = try services.authentication.authenticate(context.caller)
        let cursor = request.uri.queryParameters["since"].map(String.init)
        let response = try await services.inApp.sync(since: cursor, for: caller)
        return Response.json(bytes: try InAppText.sync(response.value)).carrying(stateOf: response)
    }
}
