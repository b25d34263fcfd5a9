import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Outages of a year, for each kind of call (REG-6, EVT-5). Registrations have theirs in ``RegistrationLifeTests``.
@Suite(.timeLimit(.minutes(15)))
struct OutageLifeTests {
    enum Call: String, CaseIterable, Sendable {
        case properties, link, refresh, pushToken, events, centers, inApp, badge, messageState
        /// That rich content is stored, and that it is no more.
        case confirmation, withdrawal
        /// A nonce that a re-installed app sends back.
        case takeover

        var path: String {
            switch self {
            case .properties: "/client"
            case .link, .takeover: "/client/contact"
            case .refresh: "/client/contact-token"
            case .pushToken: "/client/push-token"
            case .events: "/client/events"
            case .centers: "/client/message-centers"
            case .inApp: "/client/in-app-messages"
            case .badge: "/client/badge"
            case .messageState: "/client/messages/message-1/state"
            case .confirmation, .withdrawal: "/client/messages/message-1/rich-content/confirmation"
            }
        }
    }

    private static let day: TimeInterval = 86_400

    @Test(
        "EVT-5, REG-6: in a year in which calls of one kind fail, they are retried after doubled delays, then daily",
        arguments: Call.allCases)
    func year(_ call: Call) async throws {
        let outage = try await Outage(of: call)
        try await outage.endure(for: 365 * Self.day)
        let attempts = outage.world.wire.attempts.filter { $0.path == call.path && $0.answer?.status == 503 }
        // Sixteen doublings reach a day.
        #expect((360...385).contains(attempts.count), "\(attempts.count) attempts")
        for (number, pair) in zip(attempts, attempts.dropFirst()).enumerated() {
            let gap = pair.1.lived - pair.0.lived
            let base = min(Self.day, 2 * pow(2, Double(number)))
            let isRight = gap >= base - 0.01 && gap <= min(Self.day, base * 1.5) + 0.1
            #expect(isRight, "after failure \(number + 1) it waited \(gap) s, not \(base) s")
        }
        try await outage.expectLife()
        // Nobody opens the app: it is made up for within a day.
        outage.weather.mood.withLock { $0 = .perfect }
        try await outage.world.pass(Self.day + 60)
        let last = outage.world.wire.attempts.last { $0.path == call.path }
        #expect(last?.answer.map { (200..<300).contains($0.status) } == true)
        try await outage.expectEnd()
        await outage.world.kill()
    }

    @Test(
        "EVT-5: an app that is opened tries again, at most every quarter of an hour, and all is well with the server",
        // The fetch of the message centers brings the badge, so that an opened app needs no call of its own for it.
        arguments: Call.allCases.filter { $0 != .badge })
    func opened(_ call: Call) async throws {
        let outage = try await Outage(of: call)
        try await outage.endure(for: 20 * Self.day)
        let before = outage.world.wire.attempts.count { $0.path == call.path }
        // Forty looks at the app within an hour.
        for _ in 0..<40 {
            try await outage.world.client.didEnterForeground()
            await outage.world.settle()
            try await outage.world.client.didEnterBackground()
            try await outage.world.pass(90)
        }
        let looks = outage.world.wire.attempts.count { $0.path == call.path } - before
        #expect((1...5).contains(looks), "\(looks) attempts")
        outage.weather.mood.withLock { $0 = .perfect }
        try await outage.world.pass(900)
        try await outage.world.client.didEnterForeground()
        await outage.world.settle()
        let last = outage.world.wire.attempts.last { $0.path == call.path }
        #expect(last?.answer.map { (200..<300).contains($0.status) } == true)
        try await outage.expectEnd()
        await outage.world.kill()
    }

    @Test(
        "MC-10, EVT-5: a center that cannot be fetched by itself for a year is asked for once after each fetch of all")
    func singleCenter() async throws {
        let world = try World(seed: 9)
        let weather = YearWeather(chance: Chance(seed: 7))
        world.wire.decide { weather.outcome(of: $0) }
        weather.mood.withLock { $0 = .perfect }
        // A later server says itself which centers are disabled.
        await world.server.changeInbox { $0.isEarlier = true }
        try await world.startCenters()
        let id = await world.server.keep(for: "anna")
        try await world.client.didEnterBackground()
        await world.settle()
        let path = "/client/message-centers/Offers/messages"
        weather.rejected.withLock { $0 = path }
        weather.mood.withLock { $0 = .stubborn }
        let dice = Chance(seed: 8)
        for round in 1...180 {
            try await world.client.handlePush(centerPush("S-\(dice.next())", sync: true))
            await world.settle()
            for _ in 0..<3 {
                _ = try await world.listed("Offers")
                await world.settle()
            }
            #expect(try await world.centerError("Offers")?.numericCode == 503)
            #expect(world.wire.attempts.count { $0.path == path } == round)
            // It holds up nothing else.
            #expect(try await world.listed() == [id])
            if dice.unit() < 0.3 {
                await world.kill()
                try await world.start(inForeground: false)
            }
            try await world.pass(2 * Self.day)
        }
        weather.mood.withLock { $0 = .perfect }
        await world.server.changeInbox { $0.centers["Offers"] = true }
        let offer = await world.server.keep(for: "anna") { $0.center = "Offers" }
        try await world.client.didEnterForeground()
        await world.settle()
        #expect(try await world.listed("Offers") == [offer])
        #expect(try await world.centerError("Offers") == nil)
        await world.kill()
    }

    @Test("REG-23: an offer that ended during the outage leaves everything as it is, and nobody is told")
    func endedOffer() async throws {
        let outage = try await Outage(of: .takeover)
        let contact = await outage.world.server.contact
        try await outage.endure(for: 20 * Self.day)
        await outage.world.server.endOffers()
        outage.weather.mood.withLock { $0 = .perfect }
        try await outage.world.pass(Self.day + 60)
        let calls = outage.world.wire.attempts.count { $0.path == Call.takeover.path }
        #expect(outage.world.wire.attempts.last { $0.path == Call.takeover.path }?.answer?.status == 403)
        try await outage.world.client.track("after")
        try await outage.world.client.flush()
        try await outage.world.pass(3 * Self.day)
        #expect(await outage.world.server.contact == contact)
        #expect(await outage.world.server.tracked.last?.name == "after")
        #expect(outage.world.wire.attempts.count { $0.path == Call.takeover.path } == calls)
        let client = try outage.world.client
        await outage.world.kill()
        let isReported = await reports(of: client).contains { report in
            if case .linkRefused = report { true } else { false }
        }
        #expect(!isReported)
    }
}

/// A device in the background whose server answers calls of one kind with 503.
private struct Outage {
    let call: OutageLifeTests.Call
    let world: World
    let weather = YearWeather(chance: Chance(seed: 7))
    private let dice = Chance(seed: 8)
    private let html = "<p>rich</p>"
    private let message = "message-1"

    /// A healthy device whose server has just begun to fail, and that needs the call.
    init(of call: OutageLifeTests.Call) async throws {
        self.call = call
        world = try World(seed: 9)
        world.wire.decide { [weather] in weather.outcome(of: $0) }
        weather.mood.withLock { $0 = .perfect }
        if call == .takeover {
            let client = try await world.start()
            try await client.engine.messageCenter.setEnabled(true)
            await client.waitUntilIdle()
        } else {
            try await world.startCenters()
        }
        await world.server.keep(for: "anna", html: [.confirmation, .withdrawal].contains(call) ? html : nil)
        try await world.client.engine.messageCenter.refresh()
        if call == .withdrawal { _ = try await world.client.engine.messageCenter.richContent(for: message) }
        await world.settle()
        try await world.client.didEnterBackground()
        await world.settle()
        weather.rejected.withLock { $0 = call.path }
        weather.mood.withLock { $0 = .stubborn }
        try await begin()
        try await need()
    }

    /// What happens once for which the call is needed.
    private func begin() async throws {
        let client = try world.client
        switch call {
        case .withdrawal:
            // What was stored is removed with the center (MC-1).
            try await client.engine.messageCenter.setEnabled(false)
            try await client.engine.messageCenter.setEnabled(true)
        case .takeover:
            await world.server.offer("anonymous-former", nonce: "n1")
            let contact = await world.server.contact ?? ""
            let payload = PushPayload(sid: "S-nonce", to: FakeServer.tag(of: contact), nonce: "n1")
            try await client.handlePush(ReceivedPush(payload: payload))
        default: break
        }
        await world.settle()
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
        case .events, .takeover:
            try await client.track("seen")
            try await client.flush()
        case .centers: try await client.handlePush(centerPush("S-\(dice.next())", sync: true))
        case .inApp: try await client.handlePush(inAppPush("S-\(dice.next())"))
        case .badge: try? await client.setBadgeCount(3)
        case .messageState: try? await client.markRead(message)
        case .confirmation:
            _ = try await client.engine.messageCenter.richContent(for: message)
            // The message is still listed, so that the device keeps its content (MC-7).
            try await client.handlePush(centerPush("S-\(dice.next())", sync: true))
        case .withdrawal: break
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

    /// While the calls fail: what does not depend on them goes on.
    func expectLife() async throws {
        switch call {
        case .confirmation:
            #expect(try await world.client.engine.messageCenter.richContent(for: message) == html)
        case .takeover:
            let events = await world.server.tracked.count
            #expect(events > 300, "\(events) events arrived")
        default: break
        }
    }

    /// The server is well again: nothing was lost, and it knows what the device has.
    func expectEnd() async throws {
        let client = try world.client
        let device = try await world.state.id.rawValue
        switch call {
        case .confirmation:
            #expect(await world.server.inbox.isConfirmed(message, by: device))
            #expect(try await client.engine.messageCenter.richContent(for: message) == html)
            #expect(world.wire.count(FakeServer.richContent(of: message)) == 1)
        case .withdrawal:
            #expect(await !world.server.inbox.isConfirmed(message, by: device))
            try await client.engine.messageCenter.refresh()
            #expect(try await client.engine.messageCenter.richContent(for: message) == html)
            await world.settle()
            #expect(await world.server.inbox.isConfirmed(message, by: device))
        case .takeover:
            #expect(await world.server.contact == "anonymous-former")
            #expect(await world.server.events.allSatisfy { $0.contact != "none" })
        default: break
        }
    }
}
