import BelfryModel
import Foundation
import Testing
import UserNotifications

@testable import Belfry

/// The tests of the Apple adapters. They run one after the other: like Apple's frameworks, the stand-ins have one state
/// for the process.
@Suite(.serialized, .timeLimit(.minutes(15)))
enum AppleAdapters {}

/// The start of the tests' program. The main thread runs a run loop, as it does in an app, so that the main actor is on
/// it.
@main
enum AppleTestRun {
    static func main() {
        Task { exit(await Testing.__swiftPMEntryPoint() as CInt) }
        // A run loop without a source would return at once.
        RunLoop.main.add(Timer(timeInterval: 3_600, repeats: true) { _ in }, forMode: .default)
        RunLoop.main.run()
    }
}

/// An app with the SDK on a device of Apple's, over a server in memory. The app forwards what its delegates receive.
@MainActor
struct AppleDevice {
    let world: World
    let client: BelfryClient
    private let app: ForwardingApp

    /// A device that was just switched on, with an installed app that is not running.
    ///
    /// - Parameter permission: what the person has decided about notifications.
    init(
        permission: UNAuthorizationStatus = .authorized,
        _ configure: (inout BelfryConfiguration) -> Void = { _ in }
    ) throws {
        TheSystem.restart()
        NotificationScreen.shared.restart()
        NotificationScreen.shared.change { $0.status = permission }
        world = try World(configure)
        client = try BelfryClient(
            configuration: world.configuration, platform: ApplePlatform(appVersion: "1.0"), transport: world.wire,
            environment: .manual(world.clock, Chance(seed: 1))
        )
        app = ForwardingApp(client)
        UNUserNotificationCenter.current().delegate = app
        TheSystem.setDelegate(app)
    }

    /// The person opens the app, which logs them in.
    func open(_ contact: String? = "anna") async throws {
        TheSystem.open()
        try await client.start()
        if let contact { try await client.identify(contactKey: contact) }
        try await happens("the client notices") { try await client.state().appState == .foreground }
        await client.waitUntilIdle()
    }

    /// The person leaves the app, or comes back, and the client has noticed.
    func leave() async throws {
        TheSystem.leave()
        try await happens("the client notices") { try await client.state().appState != .foreground }
    }

    func comeBack() async throws {
        TheSystem.open()
        try await happens("the client notices") { try await client.state().appState == .foreground }
        await client.waitUntilIdle()
    }

    /// The names of the events about pushes that the server has.
    var pushEvents: [String] {
        get async throws {
            try await client.flush()
            return await world.server.events.map(\.name).filter { $0.hasPrefix("push:") }
        }
    }

    /// The reports of the client's life, which ends here.
    func end() async -> [ClientReport] {
        await client.stop()
        return await reports(of: client)
    }
}

/// What a push service delivers.
func payload(
    _ sid: String, title: String? = "Hello", to tag: String? = nil, badge: Badge? = nil, sync: [String] = [],
    action: [String: Any]? = nil
) -> [String: Any] {
    var belfry: [String: Any] = ["sid": sid]
    var aps: [String: Any] = [:]
    if let title { aps["alert"] = ["title": title, "body": "World"] }
    if let tag { belfry["to"] = tag }
    if let badge {
        belfry["badge"] = ["count": badge.count, "revision": badge.revision]
        aps["badge"] = badge.count
    }
    if !sync.isEmpty { belfry["sync"] = sync }
    if let action { belfry["action"] = action }
    return ["aps": aps, "belfry": belfry]
}

/// What another sender's push looks like.
var foreignPayload: [String: Any] {
    ["aps": ["alert": "From somebody else"], "chat": 7]
}

/// An error of the system.
func systemError(_ domain: String, _ code: Int) -> NSError {
    NSError(domain: domain, code: code, userInfo: [NSLocalizedDescriptionKey: "It did not work."])
}

/// Lets the app's and the client's own work run until something is the case, on the main actor, where the system is.
@MainActor
func happens(
    _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation,
    _ isTrue: @MainActor () async throws -> Bool
) async rethrows {
    // A busy machine may take long for its turns, and an idle one many: it is given up after both.
    let begin = ContinuousClock.now
    var turns = 0
    while !Task.isCancelled, turns < 500_000 || begin.duration(to: .now) < .seconds(60) {
        if try await isTrue() { return }
        turns += 1
        await Task.yield()
    }
    Issue.record("it never happened: \(what)", sourceLocation: sourceLocation)
}
