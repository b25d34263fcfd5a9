extension AdminClient {
    /// Asks a second time when the first attempt may have failed for the moment only: a connection that was lost, or a
    /// machine that stood still for a while. By its key, a write is done once all the same.
    ///
    /// - Parameters:
    ///   - isWrite: whether something may have been done when there was no answer.
    ///   - attempt: throws ``NoResponse`` when there was none. Everything else that it throws is final.
    static func inTwoAttempts<Answer>(
        server: String, isWrite: Bool, _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        let first: NoResponse
        do {
            return try await attempt()
        } catch let error as NoResponse {
            guard error.mayPass else {
                throw AdminClientError.noAnswer(server: server, error, mayBeDone: isWrite && error.mayBeDone)
            }
            first = error
        }
        do {
            return try await attempt()
        } catch let error as NoResponse {
            let mayBeDone = isWrite && (first.mayBeDone || error.mayBeDone)
            throw AdminClientError.noAnswer(server: server, error, mayBeDone: mayBeDone)
        }
    }
}
