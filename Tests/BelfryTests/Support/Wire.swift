import Foundation

@testable import Belfry

/// The network between a device and its server. It records every attempt, and a test decides the result of each.
final class Wire: Transport {
    /// The result of one request.
    enum Outcome: Sendable {
        case delivered
        /// It never arrives.
        case lost
        /// It arrives, its response does not.
        case answerLost
        /// Something in front of the server answers.
        case answered(TransportResponse)
    }

    struct Attempt: Sendable {
        /// From 0 on.
        let number: Int
        /// `POST /client/events`
        let name: String
        let request: TransportRequest
        /// By the device's clock, and by one that nobody sets back.
        let at: Date
        let lived: TimeInterval
        /// Nil when none came.
        fileprivate(set) var answer: TransportResponse?
    }

    private struct State {
        var attempts: [Attempt] = []
        var counts: [String: Int] = [:]
        var outcome: @Sendable (Attempt) -> Outcome = { _ in .delivered }
    }

    private let server: FakeServer
    private let clock: ManualClock
    private let state = Locked(State())

    init(to server: FakeServer, clock: ManualClock) {
        self.server = server
        self.clock = clock
    }

    var attempts: [Attempt] {
        state.withLock { $0.attempts }
    }

    func attempts(_ name: String) -> [Attempt] {
        attempts.filter { $0.name == name }
    }

    func count(_ name: String) -> Int {
        state.withLock { $0.counts[name, default: 0] }
    }

    /// Decides from now on what becomes of each request.
    func decide(_ outcome: @escaping @Sendable (Attempt) -> Outcome) {
        state.withLock { $0.outcome = outcome }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (attempt, outcome) = noted(request)
        let answer = try await carry(request, outcome(attempt))
        state.withLock { $0.attempts[attempt.number].answer = answer }
        return answer
    }

    private func noted(_ request: TransportRequest) -> (Attempt, @Sendable (Attempt) -> Outcome) {
        state.withLock { state in
            let attempt = Attempt(
                number: state.attempts.count,
                name: FakeServer.name(of: request),
                request: request,
                at: clock.now,
                lived: clock.lived,
                answer: nil
            )
            state.attempts.append(attempt)
            state.counts[attempt.name, default: 0] += 1
            return (attempt, state.outcome)
        }
    }

    private func carry(_ request: TransportRequest, _ outcome: Outcome) async throws -> TransportResponse {
        switch outcome {
        case .delivered:
            return try await server.send(request)
        case .lost:
            throw FakeServer.Failure.noNetwork
        case .answerLost:
            _ = try await server.send(request)
            throw FakeServer.Failure.noNetwork
        case .answered(let response):
            return response
        }
    }
}
