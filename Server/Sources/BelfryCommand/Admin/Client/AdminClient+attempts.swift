extension AdminClient {
    /// Between two looks at a write that the server is still busy with.
    static let restBetweenLooks = Duration.seconds(1)
    /// So often it is looked at. After a minute the server says by itself that the outcome is unknown (ADM-3), so this ends
    /// only what never ends otherwise.
    static let mostLooks = 120

    /// What the server says in the end: an attempt that may have failed for the moment only is repeated, and a write that
    /// the server is still busy with is asked after until there is an outcome. By its key it is done once all the same.
    ///
    /// - Parameters:
    ///   - isWrite: whether something may have been done when there was no answer.
    ///   - rest: passes the time between two looks.
    ///   - isUnderWay: whether an answer says that a former attempt is still under way.
    ///   - attempt: throws ``NoResponse`` when there was no answer. Everything else that it throws is final.
    static func outcome<Answer>(
        server: String, isWrite: Bool, rest: () async throws -> Void, isUnderWay: (Answer) -> Bool,
        _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        var answer = try await inTwoAttempts(server: server, isWrite: isWrite, attempt)
        var looks = 0
        while isUnderWay(answer), looks < mostLooks {
            looks += 1
            try await rest()
            answer = try await inTwoAttempts(server: server, isWrite: isWrite, hasBegun: true, attempt)
        }
        return answer
    }

    /// Asks a second time when the first attempt may have failed for the moment only: a connection that was lost, or a
    /// machine that stood still for a while. By its key, a write is done once all the same.
    ///
    /// - Parameters:
    ///   - isWrite: whether something may have been done when there was no answer.
    ///   - hasBegun: whether it is known that the server has begun with it.
    ///   - attempt: throws ``NoResponse`` when there was none. Everything else that it throws is final.
    static func inTwoAttempts<Answer>(
        server: String, isWrite: Bool, hasBegun: Bool = false, _ attempt: () async throws -> Answer
    ) async throws -> Answer {
        let first: NoResponse
        do {
            return try await attempt()
        } catch let error as NoResponse {
            guard error.mayPass else {
                let mayBeDone = isWrite && (hasBegun || error.mayBeDone)
                throw AdminClientError.noAnswer(server: server, error, mayBeDone: mayBeDone)
            }
            first = error
        }
        do {
            return try await attempt()
        } catch let error as NoResponse {
            let mayBeDone = isWrite && (hasBegun || first.mayBeDone || error.mayBeDone)
            throw AdminClientError.noAnswer(server: server, error, mayBeDone: mayBeDone)
        }
    }
}
