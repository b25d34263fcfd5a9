import Hummingbird

/// The description of the APIs (WIRE-28).
struct OpenAPIController: Sendable {
    /// Built once: it is the same for everybody.
    private static let description = ByteBuffer(bytes: OpenAPI.document.bytes)

    func addRoutes(to router: Router<APIRequestContext>) {
        router.get("openapi.json") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "application/json"],
                body: ResponseBody(byteBuffer: Self.description)
            )
        }
    }
}
