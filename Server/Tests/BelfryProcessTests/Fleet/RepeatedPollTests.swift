import AsyncHTTPClient
import Belfry
import Foundation
import NIOHTTP1
import Synchronization
import Testing

@testable import BelfryCommand

private struct Push: SimulatorControl.Arrival {
    let sequence: Int
}

private struct Outage: Error {}

/// A push service that answers as it is told, and does not know the token when that is over.
private final class ScriptedPolls: Sendable {
    private struct State {
        var answers: ArraySlice<Result<[Int], any Error>>
        var asked: [Int] = []
        var pauses = 0
    }

    private let state: Mutex<State>

    init(_ answers: [Result<[Int], any Error>]) {
        state = Mutex(State(answers: answers[...]))
    }

    /// What had come before, by each question.
    var asked: [Int] { state.withLock { $0.asked } }
    var pauses: Int { state.withLock { $0.pauses } }

    /// What a device hears until there is nothing left to ask for.
    func news() async -> [String] {
        let polls = RepeatedPoll<Push>(
            poll: { newest in try self.answer(beyond: newest) },
            pause: { self.state.withLock { $0.pauses += 1 } }
        )
        var news: [String] = []
        await polls.run(after: 0) { item in
            switch item {
            case .arrived(let pushes): news.append("arrived \(pushes.map(\.sequence))")
            case .lost: news.append("lost")
            case .back: news.append("back")
            case .unknown: news.append("unknown")
            }
        }
        return news
    }

    private func answer(beyond newest: Int) throws -> [Push] {
        let answer = state.withLock { state in
            state.asked.append(newest)
            return state.answers.popFirst()
        }
        guard let answer else { throw DevicePushServiceError.rejected(path: "/tokens/a", status: 404) }
        return try answer.get().map { Push(sequence: $0) }
    }
}

@Suite("A simulated device listens for its pushes")
struct RepeatedPollTests {
    @Test("CLI-3: a poll that fails ends nothing: after a pause the device asks again for what has come since")
    func outage() async {
        let script = ScriptedPolls([
            .success([1, 2]), .failure(Outage()),
            .failure(DevicePushServiceError.rejected(path: "/tokens/a", status: 500)), .success([]), .success([3]),
        ])
        #expect(await script.news() == ["arrived [1, 2]", "lost", "back", "arrived [3]", "unknown"])
        #expect(script.asked == [0, 2, 2, 2, 2, 3] && script.pauses == 2)
    }

    @Test("CLI-3: a device whose client was put away asks nothing more")
    func putAway() async {
        let script = ScriptedPolls([.success([1]), .failure(HTTPClientError.alreadyShutdown), .success([2])])
        #expect(await script.news() == ["arrived [1]"])
        #expect(script.asked == [0, 1] && script.pauses == 0)
    }

    @Test("CLI-3: a device that is stopped amid an outage listens no more", .timeLimit(.minutes(10)))
    func stopped() async {
        let isWaiting = Latch<Bool>()
        let polls = RepeatedPoll<Push>(
            poll: { _ in throw Outage() },
            pause: {
                isWaiting.set(true)
                await Task.yield()
            }
        )
        let listening = Task { await polls.run(after: 0) { _ in } }
        #expect(await isWaiting.value)
        listening.cancel()
        await listening.value
    }

    @Test("CLI-3: pushes end when the simulators do not know the token any more", .timeLimit(.minutes(10)))
    func unknownToken() async throws {
        try await FormServer.run(certificate: nil, answer: FormServer.Response(status: .notFound)) { server in
            let caller = HTTPCaller.make()
            let control = SimulatorControl(
                address: "http://127.0.0.1:\(server.port)", http: caller.client, environment: .live
            )
            var count = 0
            for await _ in control.arrivals("/tokens/a/notifications", as: Push.self, { _ in Data() }) { count += 1 }
            #expect(count == 0 && server.received.map(\.head.uri) == ["/tokens/a/notifications?after=0&wait=20"])
            try await caller.client.shutdown()
        }
    }
}
