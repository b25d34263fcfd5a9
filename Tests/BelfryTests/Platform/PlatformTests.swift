import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry

@Suite(.timeLimit(.minutes(15)))
struct PlatformTests {
    private func start(_ world: World, on phone: Phone, seed: UInt64 = 1) async throws -> BelfryClient {
        let client = try BelfryClient(
            configuration: world.configuration,
            platform: phone,
            transport: world.server,
            environment: .manual(world.clock, Chance(seed: seed))
        )
        try await client.start()
        await client.waitUntilIdle()
        return client
    }

    @Test("REG-5, REG-31: permission withdrawn in the system's settings is noticed when the app is shown, and sent")
    func changedToNo() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await start(world, on: phone)
        try await client.setPushToken("0abcff", environment: .production)
        await client.waitUntilIdle()
        #expect(await world.server.snapshots.last?.osPushEnabled == true)
        phone.change(.denied)
        try await client.didEnterForeground()
        world.clock.advance(by: 60)
        await client.waitUntilIdle()
        let snapshot = try #require(await world.server.snapshots.last)
        #expect(snapshot.osPushEnabled == false)
        #expect(snapshot.pushToken == nil)
        #expect(await world.server.snapshots.count == 2)
        await client.stop()
    }

    @Test("REG-30: permission granted in the system's settings requests a token, and so does every start after it")
    func changedToYes() async throws {
        let world = try World()
        let phone = Phone(.denied, server: world.server)
        let client = try await start(world, on: phone)
        try await client.didEnterForeground()
        #expect(phone.notes.tokenRequests == 0)
        phone.change(.granted)
        for _ in 0..<3 {
            try await client.didEnterForeground()
        }
        #expect(phone.notes.tokenRequests == 1)
        await client.stop()
        let next = try await start(world, on: phone, seed: 2)
        #expect(phone.notes.tokenRequests == 2)
        await next.stop()
    }

    @Test("REG-1: the app's switch and the system's permission are kept separately", arguments: PushPermission.allCases)
    func apart(permission: PushPermission) async throws {
        let world = try World()
        let phone = Phone(permission, server: world.server)
        let client = try await start(world, on: phone)
        for isEnabled in [false, true] {
            try await client.edit { $0.setPushEnabled(isEnabled) }
            try await client.didEnterForeground()
            let consent = try await client.state().consent
            #expect(consent.pushEnabled == isEnabled)
            #expect(consent.osPushEnabled == permission.osPushEnabled)
        }
        await client.stop()
    }

    @Test("REG-3: being shown again without a change sends no registration")
    func unchanged() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await start(world, on: phone)
        for _ in 0..<3 {
            try await client.didEnterForeground()
            world.clock.advance(by: 120)
            await client.waitUntilIdle()
        }
        #expect(await world.server.count("POST /client/registration") == 1)
        await client.stop()
    }

    @Test("REG-30: a permission that came with the files of another device counts as unknown")
    func foreignFiles() async throws {
        let world = try World()
        let first = try await start(world, on: Phone(.granted, server: world.server))
        #expect(try await first.state().consent.osPushEnabled == true)
        await first.stop()
        let phone = Phone(.notAsked, server: world.server)
        let next = try await start(world, on: phone, seed: 2)
        #expect(try await next.state().consent.osPushEnabled == nil)
        #expect(phone.notes.tokenRequests == 0)
        await next.stop()
    }

    @Test("EVT-2, PUSH-23: the system may suspend the app when the queue was sent, or has to wait")
    func leaving() async throws {
        let world = try World()
        let phone = Phone(.notAsked, server: world.server)
        let client = try await start(world, on: phone)
        let before = await world.server.events.count
        try await client.track("before leaving")
        phone.send(.background)
        await eventually("the first time ended") { phone.notes.ended.count == 1 }
        #expect(phone.notes.storedAtEnd == [before + 1])
        phone.send(.foreground)
        await world.server.set(isOffline: true)
        try await client.track("without a network")
        phone.send(.background)
        await eventually("the second time ended") { phone.notes.ended.count == 2 }
        #expect(await world.server.tracked.map(\.name) == ["before leaving"])
        #expect(try await client.state().queue.count > 0)
        // The platform begins a time itself before it tells.
        #expect(phone.notes.begun.isEmpty)
        #expect(phone.notes.ended == phone.notes.left)
        await client.stop()
    }

    @Test("REG-3, PUSH-23: events of a silent push are sent in the system's time; no registration, no session")
    func silentPush() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server, startsInForeground: false)
        let client = try await start(world, on: phone)
        let push = try #require(ReceivedPush(payload: PushPayload(sid: "silent")))
        try await client.handlePush(push)
        try await client.engine.lifecycle.flushInBackground()
        await eventually("the time ended") { phone.notes.ended.count == 1 }
        #expect(phone.notes.begun.count == 1)
        #expect(phone.notes.ended == phone.notes.begun)
        #expect(phone.notes.storedAtEnd == [1])
        #expect(await world.server.events.map(\.name) == ["push:received"])
        #expect(await world.server.count("POST /client/registration") == 0)
        await client.stop()
    }

    @Test("EVT-2: each background time is ended by its own id, in any order")
    func ownNames() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await start(world, on: phone)
        phone.send(.background)
        try await client.engine.lifecycle.flushInBackground()
        phone.send(.foreground)
        phone.send(.background)
        await eventually("all times ended") { phone.notes.ended.count == 3 }
        let notes = phone.notes
        #expect(Set(notes.ended) == Set(notes.begun + notes.left))
        #expect(notes.begun.count == 1 && notes.left.count == 2)
        await client.stop()
    }

    @Test("REG-3: woken by a silent push, an app that was shown before registers only when it is shown again")
    func wokenAgain() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await start(world, on: phone)
        try await client.didEnterBackground()
        try await client.edit { $0.addTag("sports") }
        try await client.engine.lifecycle.flushInBackground()
        world.clock.advance(by: 3_600)
        await client.waitUntilIdle()
        #expect(await world.server.count("POST /client/registration") == 1)
        try await client.didEnterForeground()
        await client.waitUntilIdle()
        #expect(await world.server.snapshots.last?.tags == ["sports"])
        await client.stop()
    }

    @Test("REG-30: no token is reported while the person was never asked; if that is unknown, it is")
    func unasked() async throws {
        let world = try World()
        let phone = Phone(.notAsked, server: world.server)
        let client = try await start(world, on: phone)
        try await client.setPushToken("0abcff", environment: .production)
        world.clock.advance(by: 120)
        await client.waitUntilIdle()
        #expect(await world.server.pushToken == nil)
        #expect(await world.server.snapshots.allSatisfy { $0.pushToken == nil })
        phone.change(.granted)
        try await client.didEnterForeground()
        world.clock.advance(by: 120)
        await client.waitUntilIdle()
        #expect(await world.server.pushToken == "0abcff")
        await client.stop()
        let headless = try World()
        let other = try await headless.start()
        try await other.setPushToken("0abcff", environment: .production)
        await other.waitUntilIdle()
        #expect(await headless.server.pushToken == "0abcff")
        await headless.kill()
    }

    @Test("ID-4, REG-36: a former person's pushes are removed from the system's list, but not at a login")
    func shownBefore() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await start(world, on: phone)
        try await client.identify(contactKey: "anna")
        try await client.identify(contactKey: "anna")
        #expect(phone.notes.removals == 0)
        try await client.identify(contactKey: "bert")
        #expect(phone.notes.removals == 1)
        try await client.edit { $0.setContactKey("cleo") }
        #expect(phone.notes.removals == 2)
        try await client.logout()
        #expect(phone.notes.removals == 3)
        try await client.identify(contactKey: "anna")
        #expect(phone.notes.removals == 3)
        try await client.wipe()
        #expect(phone.notes.removals == 4 && phone.notes.clearances == 0)
        await client.stop()
    }

    @Test("ID-4, REG-36: the badge is gone before logout and wipe return, with or without a network")
    func badge() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await start(world, on: phone)
        try await client.identify(contactKey: "anna")
        #expect(phone.notes.badges.isEmpty)
        await world.server.set(isOffline: true)
        try await client.logout()
        let atLogout = phone.notes.badges.count
        #expect(atLogout > 0)
        try await client.wipe()
        #expect(phone.notes.badges.count > atLogout)
        #expect(Set(phone.notes.badges) == [0])
        await client.stop()
    }

    @Test("REG-36: the badge of an erased person is removed too")
    func badgeOfErased() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await start(world, on: phone)
        await world.server.script("POST /client/events", .answer(FakeServer.error(410, "erased")))
        try await client.track("too late")
        try await client.flush()
        await eventually("the badge went") { phone.notes.badges == [0] && phone.notes.removals == 1 }
        await client.stop()
    }

    @Test("EVT-1: a storage that cannot be opened yet is opened later by the same client")
    func lockedDevice() async throws {
        let world = try World()
        // A file in the directory's place: like the files of a device that was not unlocked since it started.
        try Data().write(to: world.directory)
        let client = try world.make()
        for _ in 0..<2 {
            do throws(BelfryError) {
                try await client.start()
                Issue.record("the client started without a storage")
            } catch {
                #expect(error.code == .storageUnavailable)
            }
        }
        try FileManager.default.removeItem(at: world.directory)
        try await client.start()
        try await client.track("after the unlock")
        try await client.flush()
        #expect(await world.server.tracked.map(\.name) == ["after the unlock"])
        await world.kill()
    }

    @Test(
        "REG-1: the provisioning profile says which of Apple's services issued the token",
        arguments: [
            ("aps-environment", "development", PushEnvironment.sandbox),
            ("aps-environment", "production", .production),
            ("com.apple.developer.aps-environment", "development", .sandbox),
            ("aps-environment", "another", nil),
            ("unrelated", "development", nil),
        ] as [(String, String, PushEnvironment?)]
    )
    func profile(key: String, value: String, environment: PushEnvironment?) throws {
        let list = #"""
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0"><dict><key>Name</key><string>Shop</string><key>Entitlements</key><dict>
            <key>\#(key)</key><string>\#(value)</string></dict></dict></plist>
            """#
        // The envelope's signature around it is binary.
        let data = Data([0x30, 0x82, 0xff, 0x00]) + Data(list.utf8) + Data([0x00, 0xa0, 0x3c, 0x3f])
        let profile = try #require(ProvisioningProfile(data))
        #expect(profile.pushEnvironment == environment)
    }

    @Test(
        "REG-1: an invalid provisioning profile has no environment",
        arguments: ["", "<?xml", "</plist><?xml ?>", "<plist/>", "<?xml ?><plist><dict/></plist>"]
    )
    func noProfile(text: String) {
        #expect(ProvisioningProfile(Data(text.utf8)) == nil)
    }
}
