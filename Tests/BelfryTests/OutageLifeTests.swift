import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

@testable import Belfry

/// Outages of a year, for each kind of call (REG-6, EVT-5). Registrations have theirs in ``RegistrationLifeTests``.
@Suite(.timeLimit(.minutes(15)))
struct OutageLifeTests {
    enum Call: String, CaseIterable, Sendable {
        case properties = "/client"
        case link = "/client/contact"
        case refresh = "/client/contact-token"
        case pushToken = "/client/push-token"
        case events = "/client/events"
        case centers = "/client/message-centers"
        case inApp = "/client/in-app-messages"
        case badge = "/client/badge"
        case messageState = "/client/messages/message-1/state"
    }

    private static let day: TimeInterval = 86_400

    @Test(
        "EVT-5, REG-6: in a year in which calls of one kind fail, they are retried after doubled delays, then daily",
        arguments: Call.allCases)
    func year(_ call: Call) async throws {
        let outage = try await Outage(of: call)
        try await outage.endure(for: 365 * Self.day)
        let attempts = outage.world.wire.attempts.filter { $0.path == call.rawValue && $0.answer?.status == 503 }
        // Sixteen doublings reach a day.
        #expect((360...385).contains(attempts.count), "\(attempts.count) attempts")
        for (number, pair) in zip(attempts, attempts.dropFirst()).enumerated() {
            let gap = pair.1.lived - pair.0.lived
            let base = min(Self.day, 2 * pow(2, Double(number)))
            let isRight = gap >= base - 0.01 && gap <= min(Self.day, base * 1.5) + 0.1
            #expect(isRight, "after failure \(number + 1) it waited \(gap) s, not \(base) s")
        }
        // Nobody opens the app: it is made up for within a day.
        outage.weather.mood.withLock { $0 = .perfect }
        try await outage.world.pass(Self.day + 60)
        let last = outage.world.wire.attempts.last { $0.path == call.rawValue }
        #expect(last?.answer.map { (200..<300).contains($0.status) } == true)
        await outage.world.kill()
    }

    @Test(
        "EVT-5: an app that is opened tries again, at most every quarter of an hour, and all is well with the server",
        // The fetch of the message centers brings the badge, so that an opened app needs no call of its own for it.
        arguments: Call.allCases.filter { $0 != .badge })
    func opened(_ call: Call) async throws {
        let outage = try await Outage(of: call)
        try await outage.endure(for: 20 * Self.day)
        let before = outage.world.wire.attempts.count { $0.path == call.rawValue }
        // Forty looks at the app within an hour.
        for _ in 0..<40 {
            try await outage.world.client.didEnterForeground()
            await outage.world.settle()
            try await outage.world.client.didEnterBackground()
            try await outage.world.pass(90)
        }
        let looks = outage.world.wire.attempts.count { $0.path == call.rawValue } - before
        #expect((1...5).contains(looks), "\(looks) attempts")
        outage.weather.mood.withLock { $0 = .perfect }
        try await outage.world.pass(900)
        try await outage.world.client.didEnterForeground()
        await outage.world.settle()
        let last = outage.world.wire.attempts.last { $0.path == call.rawValue }
        #expect(last?.answer.map { (200..<300).contains($0.status) } == true)
        await outage.world.kill()
    }
}

/// A device in the background whose server answers calls of one kind with 503.
private struct Outage {
    let call: OutageLifeTests.Call
    let world: World
    let weather = YearWeather(chance: Chance(seed: 7))
    private let dice = Chance(seed: 8)

    /// A healthy device whose server has just begun to fail, and that needs the call.
    init(of call: OutageLifeTests.Call) async throws {
        self.call = call
        world = try World(seed: 9)
        world.wire.decide { [weather] in weather.fate(of: $0) }
        weather.mood.withLock { $0 = .perfect }
        try await world.startCenters()
        await world.server.keep(for: "anna")
        try await world.client.engine.messageCenter.refresh()
        await world.settle()
        try await world.client.didEnterBackground()
        await world.settle()
        weather.refused.withLock { $0 = call.rawValue }
        weather.mood.withLock { $0 = .stubborn }
        try await need()
    }

    /// Something comes up for which the call is needed, again and again.
    private func need() async throws {
        let client = try world.client
        switch call {
        case .properties:
            world.setSystem { $0.appVersion = "2.0" }
            await client.engine.lifecycle.readSystem()
        case .link: try await client.identify(contactKey: "bob")
        case .refresh:
            await world.server.expireTokens()
            try await client.track("seen")
            try await client.flush()
        case .pushToken: try await client.setPushToken("abcdef", environment: .production)
        case .events:
            try await client.track("seen")
            try await client.flush()
        case .centers: try await client.handlePush(centerPush("S-\(dice.next())", sync: true))
        case .inApp: try await client.handlePush(inAppPush("S-\(dice.next())"))
        case .badge: try? await client.setBadgeCount(3)
        case .messageState: try? await client.markRead("message-1")
        }
        await world.settle()
    }

    /// Time goes by; the process ends now and then, and begins anew in the background.
    func endure(for duration: TimeInterval) async throws {
        let end = world.clock.lived + duration
        while world.clock.lived < end {
            try await world.pass(min(2 * 86_400 * dice.unit(), end - world.clock.lived))
            switch call {
            // Their calls would be made at once, whatever became of the last.
            case .badge, .refresh: break
            default: try await need()
            }
            guard dice.unit() < 0.3 else { continue }
            await world.kill()
            try await world.start(inForeground: false)
            await world.settle()
        }
    }
}
