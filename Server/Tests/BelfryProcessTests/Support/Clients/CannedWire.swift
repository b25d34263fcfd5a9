import V3Client

/// Answers what a test says, without a server.
struct CannedWire: V3Wire {
    let reply: @Sendable (V3Request) -> V3Response

    func answer(to request: V3Request) async throws -> V3Response {
        reply(request)
    }

    func close() async {}
}
