import Foundation

@testable import Belfry

/// The network between a device and its server. It records every attempt, and a test decides the result of each.
final class Wire: Transport {
    /// The result of one request.
    enum Fate: Sendable {
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
        var fate: @Sendable (Attempt) -> Fate = { _ in .delivered }
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
    func decide(_ fate: @escaping @Sendable (Attempt) -> Fate) {
        state.withLock { $0.fate = fate }
    }

    func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (attempt, fate) = noted(request)
        let answer = try await carry(request, fate(attempt))
        state.withLock { $0.attempts[attempt.number].answer = answer }
        return answer
    }

    private func noted(_ request: TransportRequest) -> (Attempt, @Sendable (Attempt) -> Fate) {
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
            return (attempt, state.fate)
        }
    }

    private func carry(_ request: TransportRequest, _ fate: Fate) async throws -> TransportResponse {
        switch fate {
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
