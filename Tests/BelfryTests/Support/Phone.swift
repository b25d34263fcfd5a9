import BelfryModel
import Foundation
import Testing

@testable import Belfry

/// A phone whose system answers for itself. What the client asks of it is noted.
final class Phone: DevicePlatform, PushTokenSource, BadgeDisplay, DeliveredPushes, BackgroundTime {
    struct Notes: Sendable {
        var tokenRequests = 0
        /// The numbers that the icon was to show.
        var badges: [Int] = []
        /// How often the pushes of ours were taken out of the system's list.
        var removals = 0
        /// How often all notifications were.
        var clearances = 0
        /// Times that the client began, that the platform itself began, and that were ended.
        var begun: [BackgroundTimeID] = []
        var left: [BackgroundTimeID] = []
        var ended: [BackgroundTimeID] = []
        /// How many events the server had at each end.
        var storedAtEnd: [Int] = []
    }

    private let headless: HeadlessPlatform
    private let server: FakeServer
    private let noted = Locked(Notes())
    /// The times of the platform that nobody has asked for yet.
    private let leaves = Locked<[BackgroundTimeID]>([])
    private let takesBadges = Locked(true)
    /// Our pushes in the system's list.
    private let delivered = Locked<[ReceivedPush]>([])
    /// What the icon shows; nil where the client cannot ask.
    private let icon = Locked<Int?>(0)
    private let removal = Locked<(@Sendable () async -> Void)?>(nil)

    init(_ permission: PushPermission, server: FakeServer, startsInForeground: Bool = true) {
        headless = HeadlessPlatform(
            system: SystemProperties(platform: "ios", appVersion: "1.0"), startsInForeground: startsInForeground
        )
        headless.setPushPermission(permission)
        self.server = server
    }

    var notes: Notes {
        noted.withLock { $0 }
    }

    /// The person changes it in the system's settings.
    func change(_ permission: PushPermission) {
        headless.setPushPermission(permission)
    }

    /// Whether the system takes the numbers of the icon.
    func set(takesBadges: Bool) {
        self.takesBadges.withLock { $0 = takesBadges }
    }

    /// The system shows pushes by itself, tells nobody, and keeps them in its list.
    func show(_ pushes: [ReceivedPush]) {
        delivered.withLock { $0 += pushes }
        if let badge = pushes.compactMap(\.payload.badge).last { set(icon: badge.count) }
    }

    /// The person swipes them away.
    func swipeAway() {
        delivered.withLock { $0 = [] }
    }

    /// The system puts a number on the icon; nil: it cannot be asked for it.
    func set(icon count: Int?) {
        icon.withLock { $0 = count }
    }

    /// Runs while pushes are removed from the system's list.
    func whenRemoving(_ body: (@Sendable () async -> Void)?) {
        removal.withLock { $0 = body }
    }

    /// A background time begins before the client is informed.
    func send(_ event: PlatformEvent) {
        if event == .background {
            let id = BackgroundTimeID(1_000 + notes.left.count)
            noted.withLock { $0.left.append(id) }
            leaves.withLock { $0.append(id) }
        }
        headless.send(event)
    }

    func systemProperties() async -> SystemProperties {
        await headless.systemProperties()
    }

    func isInForeground() async -> Bool {
        await headless.isInForeground()
    }

    func events() -> AsyncStream<PlatformEvent> {
        headless.events()
    }

    func pushPermission() async -> PushPermission? {
        await headless.pushPermission()
    }

    var pushTokens: (any PushTokenSource)? { self }
    var badge: (any BadgeDisplay)? { self }
    var deliveredPushes: (any DeliveredPushes)? { self }
    var backgroundTime: (any BackgroundTime)? { self }

    func requestPushToken() async {
        noted.withLock { $0.tokenRequests += 1 }
    }

    func showBadge(_ count: Int) async -> Bool {
        noted.withLock { $0.badges.append(count) }
        guard takesBadges.withLock({ $0 }) else { return false }
        icon.withLock { if $0 != nil { $0 = count } }
        return true
    }

    func shownBadge() async -> Int? {
        icon.withLock { $0 }
    }

    func pushes() async -> [ReceivedPush] {
        delivered.withLock { $0 }
    }

    func removePushes() async {
        delivered.withLock { $0 = [] }
        noted.withLock { $0.removals += 1 }
        await removal.withLock { $0 }?()
    }

    func removeAll() async {
        delivered.withLock { $0 = [] }
        noted.withLock { $0.clearances += 1 }
    }

    func begin() async -> BackgroundTimeID? {
        noted.withLock { notes in
            let id = BackgroundTimeID(notes.begun.count)
            notes.begun.append(id)
            return id
        }
    }

    func begunByPlatform() async -> BackgroundTimeID? {
        leaves.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }

    func end(_ id: BackgroundTimeID) async {
        let stored = await server.events.count
        noted.withLock { notes in
            notes.ended.append(id)
            notes.storedAtEnd.append(stored)
        }
    }
}

extension World {
    /// A started client on that phone, linked to that contact, or an anonymous one.
    func start(on phone: Phone, key: String? = nil) async throws -> BelfryClient {
        let client = try BelfryClient(
            configuration: configuration, platform: phone, transport: wire,
            environment: .manual(clock, Chance(seed: 1))
        )
        try await client.start()
        if let key { try await client.identify(contactKey: key) }
        await client.waitUntilIdle()
        return client
    }
}

/// Lets the client's own tasks run until something is the case. So many turns, and a minute, end a wait in vain, far more
/// than any needs: while another thread is held up, many turns pass in a moment.
func eventually(
    _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ isTrue: () async throws -> Bool
) async rethrows {
    let begin = ContinuousClock.now
    var turns = 0
    while !Task.isCancelled, turns < 2_000_000 || begin.duration(to: .now) < .seconds(60) {
        if try await isTrue() { return }
        turns += 1
        await Task.yield()
    }
    Issue.record("it never happened that \(what)", sourceLocation: sourceLocation)
}
