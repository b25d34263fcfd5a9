import BelfryModel
import Foundation
import Testing

@testable import Belfry

/// A phone whose system answers for itself. What the client asks of it is noted.
final class Phone: DevicePlatform, PushTokenSource, BadgeDisplay, BackgroundTime {
    struct Notes: Sendable {
        var tokenRequests = 0
        /// The numbers that the icon was to show.
        var badges: [Int] = []
        var timesBegun = 0
        var timesEnded = 0
        /// How many events the server had at each end.
        var storedAtEnd: [Int] = []
    }

    private let headless: HeadlessPlatform
    private let server: FakeServer
    private let noted = Locked(Notes())

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

    func send(_ event: PlatformEvent) {
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
    var backgroundTime: (any BackgroundTime)? { self }

    func requestPushToken() async {
        noted.withLock { $0.tokenRequests += 1 }
    }

    func showBadge(_ count: Int) async -> Bool {
        noted.withLock { $0.badges.append(count) }
        return true
    }

    func begin() async {
        noted.withLock { $0.timesBegun += 1 }
    }

    func end() async {
        let stored = await server.events.count
        noted.withLock { notes in
            notes.timesEnded += 1
            notes.storedAtEnd.append(stored)
        }
    }
}

/// Lets the client's own tasks run until something is the case.
func eventually(
    _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ isTrue: () async throws -> Bool
) async rethrows {
    for _ in 0..<1_000_000 {
        if try await isTrue() { return }
        await Task.yield()
    }
    Issue.record("it never happened that \(what)", sourceLocation: sourceLocation)
}
