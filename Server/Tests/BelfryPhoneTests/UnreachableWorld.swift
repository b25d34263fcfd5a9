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
    ///   - sleepers: counts what waits in this world.
    static func unreachable(
        _ pushService: any PhonePushService = ScriptedPushService(), directory: URL? = nil,
        transport: (any Transport)? = nil, now: Date = PhoneSystemTests.noon, sleepers: Sleepers = Sleepers()
    ) throws -> PhoneWorld {
        guard let url = URL(string: "https://push.example.com") else { throw BadAddress() }
        return PhoneWorld(
            appCode: "shop", serverURL: url, directory: directory ?? newDirectory,
            transport: transport ?? NoAnswer(), pushService: pushService,
            environment: DeviceEnvironment(
                now: { now }, random: { 0.5 }, makeUUID: { UUID() }, sleep: { _ in await sleepers.sleep() }
            )
        )
    }

    static var newDirectory: URL {
        FileManager.default.temporaryDirectory.appending(path: "belfry-phone-\(UUID().uuidString)")
    }

    /// Whoever waits: until the task is cancelled, since the time of this world stands still.
    final class Sleepers: Sendable {
        private let number = Mutex(0)

        var count: Int { number.withLock { $0 } }

        fileprivate func sleep() async {
            number.withLock { $0 += 1 }
            let (stream, _) = AsyncStream<Void>.makeStream()
            for await _ in stream {}
            number.withLock { $0 -= 1 }
        }
    }

    private struct NoAnswer: Transport {
        struct Lost: Error {}
        func send(_ request: TransportRequest) async throws -> TransportResponse { throw Lost() }
    }
}

/// A push service that gives one token after the other, and tells what the test tells.
actor ScriptedPushService: PhonePushService {
    private(set) var tokens: [String] = []
    private(set) var retired: [String] = []
    /// After which push each listener wanted to hear more.
    private(set) var heardAfter: [Int] = []
    private var listeners: [String: AsyncStream<PushServiceNews>.Continuation] = [:]
    private var isHeld = false
    private var isDown = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func issueToken() async -> String {
        if isHeld { await withCheckedContinuation { waiting.append($0) } }
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

    /// Whether it can be told of a token that is lost.
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
