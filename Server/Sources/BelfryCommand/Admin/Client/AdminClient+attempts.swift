extension AdminClient {
    /// The pause between two checks of a write that the server is still busy with.
    static let restBetweenLooks = Duration.seconds(1)
    /// The maximum number of such checks. After a minute the server itself says that the outcome is unknown (ADM-3), so
    /// this limit ends only what would never end otherwise.
    static let mostLooks = 120

    /// Returns the final response of a call. It repeats an attempt that may have failed only temporarily, and repeats a
    /// write that the server is still busy with until there is an outcome. The idempotency key makes sure that the
    /// write is done once (ADM-3).
    ///
    /// - Parameters:
    ///   - isWrite: whether the call may have changed something although there was no response.
    ///   - rest: waits between two checks.
    ///   - isUnderWay: whether a response says that an earlier attempt is still in progress.
    ///   - attempt: throws ``NoResponse`` when there was no response. Every other error that it throws is final.
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

    /// Tries a second time when the first attempt may have failed only temporarily: a connection was lost, or a machine
    /// stood still for a while. The idempotency key makes sure that a write is done once (ADM-3).
    ///
    /// - Parameters:
    ///   - isWrite: whether the call may have changed something although there was no response.
    ///   - hasBegun: whether it is known that the server has begun the write.
    ///   - attempt: throws ``NoResponse`` when there was no response. Every other error that it throws is final.
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
