/// The transport of requests to the server.
package protocol V3Wire: Sendable {
    /// Throws when no response came.
    func answer(to request: V3Request) async throws -> V3Response

    /// The process ends, and its connection with it.
    func close() async
}
