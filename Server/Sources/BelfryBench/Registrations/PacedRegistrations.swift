import AsyncHTTPClient

/// Sends registrations at a fixed rate, independent of the response times (an open loop).
struct PacedRegistrations: Sendable {
    /// The results of the requests.
    struct Outcome: Sendable {
        /// The ids of the registrations that the server acknowledged.
        var acknowledged: Set<String> = []
        /// The number of requests with another response, or without one.
        var failed = 0
    }

    let registrations: [BenchRegistration]
    let perSecond: Int
    /// The base URL: `http://127.0.0.1:PORT`.
    let address: String
    let http: BenchHTTP

    /// Sends all registrations. Returns when every request has ended.
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

    /// The registration's id if the server acknowledged it, otherwise nil.
    private func acknowledgedID(of registration: BenchRegistration) async -> String? {
        guard let answer = try? await http.answer(to: registration.request(to: address)) else { return nil }
        return answer.response.status.code == 201 ? registration.id : nil
    }
}
