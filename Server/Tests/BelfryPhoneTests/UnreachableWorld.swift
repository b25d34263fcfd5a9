import Belfry
import Foundation
import Synchronization

@testable import BelfryPhone

extension PhoneWorld {
    struct BadAddress: Error {}

    /// A world whose server never answers, and whose push service gives tokens.
    ///
    /// - Parameters:
    ///   - directory: nil: a new one.
    ///   - transport: nil: one that never answers.
    ///   - now: when the world begins.
    ///   - sleepers: who waits in this world, and how much time has passed in it.
    static func unreachable(
        _ pushService: any PhonePushService = ScriptedPushService(), directory: URL? = nil,
        transport: (any Transport)? = nil, now: Date = PhoneSystemTests.noon, sleepers: Sleepers = Sleepers()
    ) throws -> PhoneWorld {
        guard let url = URL(string: "https://push.example.com") else { throw BadAddress() }
        return PhoneWorld(
            appCode: "shop", serverURL: url, directory: directory ?? newDirectory,
            transport: transport ?? NoAnswer(), pushService: pushService,
            environment: DeviceEnvironment(
                now: { now.addingTimeInterval(sleepers.passed) }, random: { 0.5 }, makeUUID: { UUID() },
                sleep: { await sleepers.sleep(until: $0.timeIntervalSince(now)) }
            )
        )
    }

    static var newDirectory: URL {
        FileManager.default.temporaryDirectory.appending(path: "belfry-phone-\(UUID().uuidString)")
    }

    /// Whoever waits: until the task is cancelled, or the test has let the time pass. Otherwise it stands still.
    final class Sleepers: Sendable {
        private struct State {
            var passed: TimeInterval = 0
            var numbers = 0
            var waiting: [Int: (end: TimeInterval, alarm: AsyncStream<Void>.Continuation)] = [:]
        }

        private let state = Mutex(State())

        var count: Int { state.withLock { $0.waiting.count } }
        /// Seconds since the world began.
        var passed: TimeInterval { state.withLock { $0.passed } }

        /// Lets so many seconds pass.
        func pass(_ seconds: TimeInterval) {
            let alarms = state.withLock { state in
                state.passed += seconds
                let now = state.passed
                return state.waiting.values.filter { $0.end <= now }.map { $0.alarm }
            }
            for alarm in alarms { alarm.finish() }
        }

        fileprivate func sleep(until end: TimeInterval) async {
            let (stream, alarm) = AsyncStream<Void>.makeStream()
            let number: Int? = state.withLock { state in
                guard end > state.passed else { return nil }
                state.numbers += 1
                state.waiting[state.numbers] = (end, alarm)
                return state.numbers
            }
            guard let number else { return }
            for await _ in stream {}
            state.withLock { state in state.waiting[number] = nil }
        }
    }

    private struct NoAnswer: Transport {
        struct Lost: Error {}
        func send(_ request: TransportRequest) async throws -> TransportResponse { throw Lost() }
    }
}

/// A push service that gives one token after the other, and tells what the test tells.
actor ScriptedPushService: PhonePushService {
    /// How often it was asked for a token.
    private(set) var asked = 0
    private(set) var tokens: [String] = []
    private(set) var retired: [String] = []
    /// After which push each listener wanted to hear more.
    private(set) var heardAfter: [Int] = []
    private var listeners: [String: AsyncStream<PushServiceNews>.Continuation] = [:]
    private var isHeld = false
    private var isDown = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func issueToken() async throws -> String {
        asked += 1
        if isHeld { await withCheckedContinuation { waiting.append($0) } }
        guard !isDown else { throw NotReached() }
        let token = String(repeating: "ab", count: 31) + String(10 + tokens.count)
        tokens.append(token)
        return token
    }

    func retire(_ token: String) async throws {
        guard !isDown else { throw NotReached() }
        retired.append(token)
        if isHeld { await withCheckedContinuation { waiting.append($0) } }
    }

    func news(for token: String, after newest: Int) -> AsyncStream<PushServiceNews> {
        heardAfter.append(newest)
        let made = AsyncStream<PushServiceNews>.makeStream()
        listeners[token] = made.continuation
        return made.stream
    }

    /// Whether the phone listens for its newest token.
    var isHeard: Bool { tokens.last.map { listeners[$0] != nil } ?? false }

    /// Tells whoever listens for the newest token.
    func tell(_ news: PushServiceNews) {
        guard let token = tokens.last else { return }
        listeners[token]?.yield(news)
    }

    struct NotReached: Error {}

    /// Whether it can be asked for a token, and told of one that is lost.
    func setReached(_ isReached: Bool) { isDown = !isReached }

    /// From now on nobody gets an answer that a token is retired, nor a token.
    func hold() { isHeld = true }

    /// Whether somebody waits for such an answer.
    var isAsked: Bool { !waiting.isEmpty }

    func release() {
        isHeld = false
        for waiter in waiting { waiter.resume() }
        waiting = []
    }
}
