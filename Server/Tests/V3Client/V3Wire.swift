/// What carries requests to the server.
package protocol V3Wire: Sendable {
    /// Throws when no answer came.
    func answer(to request: V3Request) async throws -> V3Answer

    /// The process ends, and its connection with it.
    func close() async
}
