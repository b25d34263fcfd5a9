import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry
@testable import BelfryNotificationService

/// The extension's decisions, and what the app takes over from it (PUSH-8, MC-4, BADGE-6, ID-4, REG-36).
@Suite(.timeLimit(.minutes(15)))
struct PushReceptionTests {
    @Test("PUSH-8: before the app was ever opened a push is shown and noted, and the app reports it with its own time")
    func beforeTheApp() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let world = phone.world
        let decision = phone.reception().decide(
            on: try extensionPush("S-1", badge: Badge(count: 2, revision: 5), image: "https://example.com/a.png"))
        #expect(decision.appearance == .shown(badge: 2) && decision.image == "https://example.com/a.png")
        #expect(decision.report == nil, "nobody knows yet as whom")
        #expect(phone.folder.notes().count == 1)
        world.clock.advance(by: 3_600)
        let client = try await world.start()
        try await client.flush()
        let received = await world.server.events.filter { $0.name == "push:received" }
        #expect(received.map { $0.attributes["sid"] } == ["S-1"] && received.map(\.at) == [World.epoch])
        #expect(try await client.badgeCount == 2)
        #expect(phone.folder.notes().isEmpty)
        await world.kill()
    }

    @Test("PUSH-8: without a folder, an app code or a right to write, the push is shown all the same")
    func nothingShared() throws {
        let push = try extensionPush("S-1", badge: Badge(count: 2, revision: 5))
        let clock = ManualClock(World.epoch)
        for settings in [
            NotificationServiceSettings(appCode: "shop", appGroupDirectory: nil),
            NotificationServiceSettings(appCode: "", appGroupDirectory: FileManager.default.temporaryDirectory),
            NotificationServiceSettings(appCode: "shop", appGroupDirectory: URL(fileURLWithPath: "/dev/null/x")),
        ] {
            let reception = PushReception(settings, .manual(clock, Chance(seed: 1)))
            #expect(reception.decide(on: push).appearance == .shown(badge: 2))
        }
    }

    @Test("ID-4, PUSH-8: a push for a person who has left is hidden, or says nothing of them, and is not noted")
    func former() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let world = phone.world
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        let push = try extensionPush("S-1", to: FakeServer.tag(of: "anna"))
        #expect(phone.reception().decide(on: push).appearance == .shown(badge: nil))
        try await client.logout()
        // The extension knows it before the logout has returned, with or without a network.
        let late = try extensionPush("S-2", badge: Badge(count: 9, revision: 9), to: FakeServer.tag(of: "anna"))
        let neutral = phone.reception { $0.neutralText = "News" }.decide(on: late)
        #expect(neutral.appearance == .neutral("News") && neutral.report == nil && neutral.image == nil)
        #expect(phone.reception { $0.hidesPushesOfFormerPersons = true }.decide(on: late).appearance == .hidden)
        #expect(phone.folder.notes().map(\.payload.sid) == ["S-1"])
        await world.kill()
    }

    @Test("ID-4: a push that anna received is reported as hers, and announces nothing to bert")
    func personChanged() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let world = phone.world
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        try await client.setMessageCenterEnabled(true)
        await client.waitUntilIdle()
        _ = phone.reception().decide(
            on: try extensionPush(
                "S-1", sync: true, badge: Badge(count: 4, revision: 9), to: FakeServer.tag(of: "anna")))
        try await client.logout()
        try await client.identify(contactKey: "bert")
        await client.waitUntilIdle()
        let fetches = await world.server.count(FakeServer.fetch)
        try await client.didEnterForeground()
        try await client.flush()
        let received = await world.server.events.filter { $0.name == "push:received" }
        #expect(received.map(\.contact) == ["anna"])
        #expect(await world.server.count(FakeServer.fetch) == fetches)
        #expect(try await client.badgeCount == 0)
        await world.kill()
    }

    @Test("REG-36: after a wipe the extension shows nothing of the former installation, and its notes are gone")
    func wiped() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let world = phone.world
        let client = try await world.start()
        await client.waitUntilIdle()
        _ = phone.reception().decide(on: try extensionPush("S-1"))
        try await client.wipe()
        #expect(phone.folder.notes().isEmpty && phone.folder.brief()?.access == nil)
        let decision = phone.reception().decide(on: try extensionPush("S-2"))
        #expect(decision.appearance == .neutral("You have a new notification."))
        try await client.start()
        try await client.flush()
        #expect(await world.server.events.allSatisfy { $0.name != "push:received" })
        #expect(phone.reception().decide(on: try extensionPush("S-3")).appearance == .shown(badge: nil))
        await world.kill()
    }

    @Test("REG-36: a note of an installation that was wiped while the process died is not the next one's")
    func otherInstallation() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let world = phone.world
        let client = try await world.start()
        await client.waitUntilIdle()
        let note = PushNote(
            try extensionPush("S-1", badge: Badge(count: 3, revision: 3)), receivedAt: world.clock.now,
            eventID: UUID(), brief: phone.folder.brief()
        )
        try await client.wipe()
        try await client.start()
        _ = phone.folder.add(note)
        try await client.didEnterForeground()
        try await client.flush()
        #expect(try await client.badgeCount == 0)
        #expect(await world.server.events.allSatisfy { $0.name != "push:received" })
        #expect(phone.folder.notes().isEmpty)
        await world.kill()
    }

    @Test("MC-4: a kept push that the extension received makes the centers due as soon as the app is shown")
    func keptPush() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let world = phone.world
        let client = try await world.startCenters()
        try await client.didEnterBackground()
        await client.waitUntilIdle()
        let fetches = await world.server.count(FakeServer.fetch)
        await world.server.keep(for: "anna")
        _ = phone.reception().decide(on: try extensionPush("S-1", sync: true))
        try await client.didEnterForeground()
        await client.waitUntilIdle()
        #expect(await world.server.count(FakeServer.fetch) == fetches + 1)
        #expect(try await client.messages().count == 1)
        await world.kill()
    }

    @Test("BADGE-6: a push that comes late puts no older number on the icon, and the app agrees with the newest")
    func badges() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let world = phone.world
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        let device = try await client.engine.state().id.rawValue
        let first = await world.server.change(BadgeChange(op: .increment), of: device)
        let second = await world.server.change(BadgeChange(op: .increment), of: device)
        #expect(phone.reception().decide(on: try extensionPush("S-2", badge: second)).badge == 2)
        // The person swipes it away: only the extension's note knows it. Then the first one comes.
        #expect(phone.reception().decide(on: try extensionPush("S-1", badge: first)).badge == 2)
        try await client.didEnterForeground()
        #expect(try await client.badgeCount == 2)
        try await client.setBadgeCount(0)
        #expect(phone.reception().decide(on: try extensionPush("S-3", badge: second)).badge == 0)
        #expect(phone.reception().decide(on: try extensionPush("S-4")).badge == nil)
        await world.kill()
    }

    @Test("BADGE-1: with badges off the extension changes none")
    func noBadges() async throws {
        let group = FileManager.default.temporaryDirectory.appendingPathComponent("belfry-group-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: group) }
        let world = try World { configuration in
            configuration.appGroupDirectory = group
            configuration.badgesEnabled = false
        }
        try await world.start()
        let settings = NotificationServiceSettings(appCode: "shop", appGroupDirectory: group)
        let reception = PushReception(settings, .manual(world.clock, Chance(seed: 1)))
        let push = try extensionPush("S-1", badge: Badge(count: 2, revision: 5))
        #expect(reception.decide(on: push).appearance == .shown(badge: nil))
        await world.kill()
    }

    @Test("PUSH-8: a directory of the app group that is no file address is refused by its field")
    func badDirectory() throws {
        let error = #expect(throws: BelfryError.self) {
            let world = try World { $0.appGroupDirectory = URL(string: "https://example.com") }
            _ = try world.make()
        }
        #expect(error?.code == .invalidConfiguration && error?.field == "appGroupDirectory")
    }
}
