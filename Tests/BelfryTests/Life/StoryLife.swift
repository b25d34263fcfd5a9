import BelfryModel
import BelfryWire
import Foundation

@testable import Belfry

/// Lives a story on a device that may die once. When it has died, the app is started again and continues.
struct StoryLife: MortalLife {
    let world: World
    /// Names the run in what it reports.
    let place: String
    let screen = ShownPushes()
    /// The events whose `track` returned.
    private(set) var returned: [String] = []
    /// Event → the contact key of the moment; none for nobody's.
    private(set) var owners: [String: String] = [:]
    var deaths = 0

    /// Requests of a process that was dead.
    let ghosts = Locked(0)
    private let mood: Locked<StoryStep.Mood>
    private var key: String?
    private(set) var token: String?
    private var isShown = true

    /// - Parameter fault: decides about single requests; nil leaves it to the story's chance.
    init(_ place: String, fault: @escaping @Sendable (Wire.Attempt, Mortality) -> Wire.Outcome? = { _, _ in nil })
        throws
    {
        self.place = place
        world = try World()
        let mood = Locked(StoryStep.Mood.well)
        self.mood = mood
        let mortality = world.mortality
        let ghosts = self.ghosts
        world.wire.decide { attempt in
            if mortality.isDead { ghosts.withLock { $0 += 1 } }
            if let outcome = fault(attempt, mortality) { return outcome }
            switch mood.withLock({ $0 }) {
            case .well: return .delivered
            case .busy: return .answered(FakeServer.error(503, "busy"))
            case .away: return .lost
            }
        }
    }

    /// Lives the whole day and comes to rest.
    mutating func live() async throws {
        await world.server.set(
            poison: [StoryStep.poison], rejectedAlone: [StoryStep.rejected], maximumBody: StoryStep.maximumBody
        )
        try await begin()
        for step in StoryStep.day + StoryStep.end {
            try await take(isRepeated: step.isRepeated) { try await $0.perform(step) }
        }
    }

    /// The app's calls at each start.
    func launch() async throws {
        let client = try await world.start(inForeground: isShown, notifications: screen)
        if let token { try await client.setPushToken(token, environment: .production) }
        if let key { try await client.identify(contactKey: key) }
    }
}

// MARK: - The steps

extension StoryLife {
    private mutating func perform(_ step: StoryStep) async throws {
        switch step {
        case .pass(let seconds): world.clock.advance(by: seconds)
        case .track(let name, bytes: let bytes): try await track(name, bytes: bytes)
        case .relaunch:
            await world.kill()
            try await launch()
        case .mood(let mood): self.mood.withLock { $0 = mood }
        case .tokensExpire: await world.server.expireTokens()
        case .background, .foreground: try await move(toFront: step == .foreground)
        case .push(let sid): try await world.client.handlePush(push(sid))
        case .open(let sid): try await world.client.pushOpened(push(sid))
        case .dismiss(let sid): try await world.client.pushDismissed(push(sid))
        case .flush: try await world.client.flush()
        case .online: try await world.client.networkReturns()
        case .identify, .logout, .token, .permission, .city, .tag: try await change(step)
        }
    }

    private mutating func track(_ name: String, bytes: Int) async throws {
        owners[name] = key
        let filler: [String: AttributeValue] = ["filler": .string(String(repeating: "x", count: bytes))]
        try await world.client.track(name, attributes: bytes > 0 ? filler : [:])
        returned.append(name)
    }

    private mutating func move(toFront: Bool) async throws {
        isShown = toFront
        if toFront {
            try await world.client.didEnterForeground()
        } else {
            try await world.client.didEnterBackground()
        }
    }

    /// The app remembers who is logged in before it tells the SDK.
    private mutating func change(_ step: StoryStep) async throws {
        let client = try world.client
        switch step {
        case .identify(let key):
            self.key = key
            try await client.identify(contactKey: key)
        case .logout:
            key = nil
            try await client.logout()
        case .token(let token):
            self.token = token
            try await client.setPushToken(token, environment: .production)
        case .permission(let isGranted): try await client.setPushPermission(isGranted)
        case .city(let city): try await client.edit { $0.setAttribute("city", to: .string(city)) }
        case .tag(let tag): try await client.edit { $0.addTag(tag) }
        default: break
        }
    }

    private func push(_ sid: String) -> ReceivedPush? {
        ReceivedPush(payload: PushPayload(sid: sid), title: "Hello", body: "World")
    }
}
