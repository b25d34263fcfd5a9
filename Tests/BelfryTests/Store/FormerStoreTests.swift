import BelfryModel
import Foundation
import Testing

@testable import Belfry

/// A store that an installed app has written is opened by the SDK that replaces it, and the device continues.
///
/// The files in `Fixtures` were written by version 0.1.0, before its engine was divided. They are never written again:
/// a later version adds files of its own.
struct FormerStoreTests {
    private struct Missing: Error {}

    /// A world whose device has that file, and whose server knows nothing of it but the contacts.
    private func world(over name: String) async throws -> World {
        let world = try World()
        guard let fixture = Bundle.module.url(forResource: name, withExtension: "sqlite", subdirectory: "Fixtures")
        else { throw Missing() }
        try FileManager.default.createDirectory(at: world.directory, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: fixture, to: world.directory.appendingPathComponent("belfry.sqlite"))
        await world.server.knows("anna")
        await world.server.knows("bert")
        try await FormerStory.fill(world.server)
        world.clock.advance(by: 3_600)
        return world
    }

    @Test("EVT-3, REG-14: everything that a former version stored is there before the start")
    func everythingIsThere() async throws {
        let world = try await world(over: "waiting")
        let client = try world.make()
        let state = try await client.state()
        #expect(state.contact == "known")
        #expect(state.registration.isPending)
        #expect(state.registration.acceptedRevision == 2)
        #expect(state.queue.count == 4)
        #expect(state.queue.setAside == 1)
        #expect(state.messageCenter.isEnabled)
        #expect(state.messageCenter.pendingStates == 2)
        #expect(state.inApp.count == 2)
        #expect(state.badge.count == 7)
        #expect(state.pushToken != nil)
        #expect(state.consent == ClientState.Consent(pushEnabled: true, osPushEnabled: true))
        let messages = try await client.messages().messages
        #expect(messages.map(\.id) == ["message-2", "message-1"])
        #expect(messages.map(\.state) == [.unread, .read])
        #expect(try await client.richContent(for: "message-2") == "<p>rich</p>")
        #expect(try await client.inAppMessages.map(\.campaignID) == ["2", "1"])
        await world.kill()
    }

    @Test("EVT-1, REG-21, MC-14: the queue of a former version's store reaches the server, once")
    func goesOn() async throws {
        let world = try await world(over: "waiting")
        let client = try await world.start()
        await client.waitUntilIdle()
        // The edit is sent with the next registration, within a minute.
        try await world.advance(by: 60)
        let events = await world.server.events
        #expect(events.filter { ["first", "second"].contains($0.name) }.map(\.contact) == ["anna", "anna"])
        #expect(events.count { $0.name == "messagecenter:display" } == 1)
        #expect(events.count { $0.name == "push:received" } == 1)
        #expect(await world.server.snapshots.last?.attributes?["city"] == .string("Lyon"))
        #expect(await world.server.revision > 2, "it grows on from what the former version said")
        #expect(await world.server.pushToken == "0abcff")
        let kept = await world.server.inbox
        #expect(kept.message("message-1", of: "anna")?.state == .read)
        #expect(kept.message("message-3", of: "anna")?.state == .deleted)
        #expect(try await client.state().messageCenter.pendingStates == 0)
        // A push that was recorded before the update is not recorded again.
        try await client.handlePush(centerPush("S-1"))
        try await client.flush()
        #expect(await world.server.events.count { $0.name == "push:received" } == 1)
        await world.kill()
    }

    @Test("IAM-8, ENG-2: displays under a former version count under this one")
    func displaysCount() async throws {
        let world = try await world(over: "waiting")
        let client = try await world.start()
        await client.waitUntilIdle()
        try await world.track("cart:add")
        #expect(world.shownCampaign == "1", "its second display, of two")
        try await world.press(.close(.close))
        world.clock.advance(by: 86_400)
        try await world.track("cart:add")
        #expect(world.shownCampaign == nil)
        await world.kill()
    }

    @Test("ID-4, ID-7: persons who took turns under a former version keep their data")
    func persons() async throws {
        let world = try await world(over: "handover")
        let client = try await world.start()
        await client.waitUntilIdle()
        let tracked = await world.server.tracked
        #expect(tracked.map(\.name) == ["of anna", "of nobody", "of bert"])
        #expect(tracked.map(\.contact) == ["anna", "bert", "bert"])
        #expect(await world.server.snapshots.last?.contactKey == "bert")
        let tag = FakeServer.tag(of: "anna")
        #expect(try await !client.mayShow(centerPush("S-2", to: tag)))
        await world.kill()
    }

    @Test("REG-36: a device that a former version wiped is suspended until it is started, and tracking stays off")
    func wiped() async throws {
        let world = try await world(over: "wiped")
        let client = try world.make()
        let resting = try await client.state()
        #expect(resting.isResting)
        #expect(!resting.trackingEnabled)
        try await client.start()
        await client.waitUntilIdle()
        try await client.track("not recorded")
        let state = try await client.state()
        #expect(!state.isResting)
        #expect(!state.trackingEnabled)
        #expect(state.deviceId == resting.deviceId)
        #expect(await world.server.events.isEmpty)
        await world.kill()
    }

    /// Not a test of anything: with `BELFRY_FIXTURES` set to a directory, it writes what this version stores there.
    @Test(
        "EVT-3: fixtures of the present version can be written",
        .enabled(if: ProcessInfo.processInfo.environment["BELFRY_FIXTURES"] != nil)
    )
    func writeFixtures() async throws {
        let directory = try #require(ProcessInfo.processInfo.environment["BELFRY_FIXTURES"])
        for (name, story) in FormerStory.all {
            let world = try World()
            try await story(world)
            await world.kill()
            try FileManager.default.copyItem(
                at: world.directory.appendingPathComponent("belfry.sqlite"),
                to: URL(fileURLWithPath: directory).appendingPathComponent("\(name).sqlite")
            )
        }
    }
}

/// The history of the device before its store became a fixture.
enum FormerStory {
    static let all: [(String, @Sendable (World) async throws -> Void)] = [
        ("waiting", waiting), ("handover", handover), ("wiped", wiped),
    ]

    /// The server's data for its contacts; the same during the story and after it.
    static func fill(_ server: FakeServer) async throws {
        for number in 1...3 {
            await server.keep(for: "anna", html: number == 2 ? "<p>rich</p>" : nil) {
                $0.sentAt = World.epoch.addingTimeInterval(TimeInterval(number))
            }
        }
        await server.publish { $0.displayLimit = 2 }
        await server.publish {
            $0.type = "inline"
            $0.trigger = nil
            $0.viewID = "home"
            $0.displayLimit = 9
        }
    }

    /// Something of everything, and much of it not yet told.
    @Sendable
    private static func waiting(_ world: World) async throws {
        try await fill(world.server)
        let client = try await world.startCenters("anna")
        try await client.setPushToken("0abcff", environment: .sandbox)
        try await client.setPushPermission(true)
        try await world.advance(by: 60)
        try await client.refreshMessageCenters()
        try await client.refreshInAppMessages()
        _ = try await client.richContent(for: "message-2")
        try await client.setBadgeCount(4)
        try await world.track("cart:add")
        try await world.press(.close(.close))
        await world.server.set(rejectedAlone: ["bad"])
        try await client.track("bad")
        try await client.flush()
        await world.server.set(isOffline: true)
        try await client.track("first")
        _ = try await client.edit { $0.setAttribute("city", to: "Lyon") }
        try await client.markRead("message-1")
        try await client.delete("message-3")
        try await client.handlePush(centerPush("S-1", sync: true, badge: Badge(count: 7, revision: 9)))
        try await client.messageCenterViewWillAppear()
        try await client.trackMessageCenterDisplay("message-1")
        try await client.track("second")
        await client.waitUntilIdle()
    }

    /// Three persons without a network between them.
    @Sendable
    private static func handover(_ world: World) async throws {
        try await fill(world.server)
        let client = try await world.startCenters("anna")
        try await client.setBadgeCount(5)
        try await client.flush()
        await world.server.set(isOffline: true)
        try await client.track("of anna")
        try await client.logout()
        try await client.track("of nobody")
        try await client.identify(contactKey: "bert")
        try await client.track("of bert")
        await client.waitUntilIdle()
    }

    @Sendable
    private static func wiped(_ world: World) async throws {
        let client = try await world.startCenters("anna")
        try await client.setTrackingEnabled(false)
        try await client.wipe()
        await client.waitUntilIdle()
    }
}
