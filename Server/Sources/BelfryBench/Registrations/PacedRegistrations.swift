import AsyncHTTPClient

/// Sends registrations at a pace, however long the answers take: an open loop.
struct PacedRegistrations: Sendable {
    /// How they were answered.
    struct Outcome: Sendable {
        /// Ids of those that the server acknowledged.
        var acknowledged: Set<String> = []
        /// Those that were answered otherwise, or not at all.
        var failed = 0
    }

    let registrations: [BenchRegistration]
    let perSecond: Int
    /// `http://127.0.0.1:PORT`
    let address: String
    let http: BenchHTTP

    /// Returns when all were answered.
    func run() async throws -> Outcome {
        try await withThrowingTaskGroup(of: String?.self, returning: Outcome.self) { group in
            let clock = ContinuousClock()
            let begin = clock.now
            for (number, registration) in registrations.enumerated() {
                let due = begin + Duration.seconds(Double(number) / Double(perSecond))
                if clock.now < due { try await clock.sleep(until: due) }
                group.addTask { await acknowledgedID(of: registration) }
            }
            var outcome = Outcome()
            for try await id in group {
                if let id { outcome.acknowledged.insert(id) } else { outcome.failed += 1 }
            }
            return outcome
        }
    }

    /// Nil unless the server said that it has it.
    private func acknowledgedID(of registration: BenchRegistration) async -> String? {
        guard let answer = try? await http.answer(to: registration.request(to: address)) else { return nil }
        return answer.response.status.code == 201 ? registration.id : nil
    }
}
