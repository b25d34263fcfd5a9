import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// The number on the icon. A system may change it by itself, and may ignore a new value.
@Suite(.timeLimit(.minutes(15)))
struct BadgeIconTests {
    @Test("BADGE-2, BADGE-3: a set is shown even if the number is the same: the system may show another one")
    func sameNumber() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        try await client.engine.badge.set(0)
        try await client.engine.badge.set(0)
        #expect(phone.notes.badges == [0, 0] && phone.notes.clearances == 2)
        await client.stop()
    }

    @Test("BADGE-5: a number with a new revision is shown again; one with a known revision is not")
    func sameNumberReported() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        for revision in [1, 2, 2, 1] as [Int64] {
            try await client.engine.push.noticed(centerPush("S", badge: Badge(count: 3, revision: revision)))
        }
        #expect(phone.notes.badges == [3, 3])
        await client.stop()
    }

    @Test("REG-36, BADGE-5: a badge for an installation that was wiped is not the next one's")
    func shownForWiped() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        try await client.wipe()
        phone.show([try centerPush("S-1", badge: Badge(count: 7, revision: 12))])
        try await client.start()
        try await client.didEnterForeground()
        #expect(try await client.badgeCount == 0)
        #expect(phone.notes.badges.allSatisfy { $0 == 0 })
        await client.stop()
    }

    @Test("BADGE-4, BADGE-5: the badge of a push that the system showed by itself is read once the app is shown")
    func shownBySystem() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        let device = try await client.engine.state().id.rawValue
        let first = await world.server.change(BadgeChange(op: .increment), of: device)
        let second = await world.server.change(BadgeChange(op: .increment, value: 2), of: device)
        phone.show([
            try centerPush("S-2", badge: second), try centerPush("S-1", badge: first), try centerPush("S-3"),
        ])
        #expect(try await client.badgeCount == 0)
        for _ in 0..<2 { try await client.didEnterForeground() }
        #expect(try await client.badgeCount == 3)
        #expect(phone.notes.badges == [3])
        try await client.setBadgeCount(1)
        try await client.didEnterForeground()
        #expect(try await client.badgeCount == 1, "the push in the list is older")
        await client.stop()
        let third = await world.server.change(BadgeChange(op: .increment), of: device)
        phone.show([try centerPush("S-4", badge: third)])
        let next = try await world.start(on: phone)
        #expect(try await next.badgeCount == 2)
        #expect(phone.notes.badges == [3, 1, 2])
        #expect(await world.server.events.allSatisfy { $0.name != "push:received" })
        await next.stop()
    }

    @Test(
        "BADGE-6: a badge push that was swiped away is the badge once the app is shown, with the center off, offline too"
    )
    func swiped() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        let device = try await client.engine.state().id.rawValue
        for number in 1...3 {
            try await client.didEnterBackground()
            let badge = await world.server.change(BadgeChange(op: .increment, value: 2), of: device)
            phone.show([try centerPush("S-\(number)", badge: badge)])
            phone.swipeAway()
            await world.server.set(isOffline: number == 3)
            try await client.didEnterForeground()
            #expect(try await client.badgeCount == badge.count)
            await client.waitUntilIdle()
            if number < 3 { #expect(try await client.engine.badge.badge == badge) }
        }
        await world.server.set(isOffline: false)
        // Somebody else's number: the server's is shown again.
        try await client.didEnterBackground()
        phone.set(icon: 42)
        try await client.didEnterForeground()
        await client.waitUntilIdle()
        #expect(try await client.badgeCount == 6)
        #expect(await phone.shownBadge() == 6)
        await client.stop()
    }

    @Test("BADGE-6: where the icon cannot be read, the server is asked when the app returns, and not at each glance")
    func unreadableIcon() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        phone.set(icon: nil)
        let client = try await world.start(on: phone)
        let device = try await client.engine.state().id.rawValue
        try await client.didEnterBackground()
        let badge = await world.server.change(BadgeChange(op: .set, value: 5), of: device)
        let before = await world.server.count("GET /client/badge")
        for _ in 0..<3 {
            try await client.didEnterForeground()
            await client.waitUntilIdle()
        }
        #expect(await world.server.count("GET /client/badge") == before + 1)
        #expect(try await client.engine.badge.badge == badge)
        #expect(phone.notes.badges.last == 5)
        await client.stop()
    }

    @Test("MC-4: a push for a center that the system showed by itself makes it due once the app is shown, once")
    func shownForCenter() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone, key: "anna")
        try await client.engine.messageCenter.setEnabled(true)
        await client.waitUntilIdle()
        let fetches = await world.server.count(FakeServer.fetch)
        await world.server.keep(for: "anna")
        phone.show([try centerPush("S-1", sync: true), try centerPush("S-2"), try centerPush("S-3", sync: true)])
        phone.show([try centerPush("S-4", sync: true, to: FakeServer.tag(of: "bert"))])
        for _ in 0..<3 {
            try await client.didEnterForeground()
            await client.waitUntilIdle()
        }
        #expect(await world.server.count(FakeServer.fetch) == fetches + 1)
        #expect(try await client.messages().count == 1)
        // What the app was told of already is no news.
        try await client.handlePush(centerPush("S-5", sync: true))
        await client.waitUntilIdle()
        phone.show([try centerPush("S-5", sync: true)])
        try await client.didEnterForeground()
        await client.waitUntilIdle()
        #expect(await world.server.count(FakeServer.fetch) == fetches + 2)
        await client.stop()
        let next = try await world.start(on: phone)
        #expect(await world.server.count(FakeServer.fetch) == fetches + 2)
        await next.stop()
    }

    @Test("ID-4, BADGE-1: a former person's push in the system's list has no badge, and none has with badges off")
    func shownForFormer() async throws {
        for isEnabled in [true, false] {
            let world = try World { $0.badgesEnabled = isEnabled }
            let phone = Phone(.granted, server: world.server)
            let client = try await world.start(on: phone, key: "anna")
            try await client.identify(contactKey: "bert")
            await client.waitUntilIdle()
            let badge = Badge(count: 7, revision: 9)
            let names = isEnabled ? ["anna"] : ["bert"]
            phone.show(try names.map { try centerPush("S", badge: badge, to: FakeServer.tag(of: $0)) })
            try await client.didEnterForeground()
            #expect(try await client.badgeCount == 0)
            #expect(!phone.notes.badges.contains(7))
            await client.stop()
        }
    }

    @Test("BADGE-5: a badge that the display refused is shown when the app comes back, and when it restarts")
    func repaired() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        phone.set(takesBadges: false)
        try await client.engine.push.noticed(centerPush("S", badge: Badge(count: 4, revision: 1)))
        try await client.didEnterForeground()
        #expect(phone.notes.badges == [4, 4])
        await client.stop()
        phone.set(takesBadges: true)
        let next = try await world.start(on: phone)
        #expect(phone.notes.badges == [4, 4, 4])
        try await next.didEnterForeground()
        #expect(phone.notes.badges == [4, 4, 4])
        await next.stop()
    }

    @Test("ID-4: the number of a person who leaves is gone, even one that arrives meanwhile", arguments: [nil, "anna"])
    func leaving(key: String?) async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone, key: key)
        phone.whenRemoving {
            _ = try? await client.engine.push.noticed(centerPush("S", badge: Badge(count: 7, revision: 9)))
        }
        try await client.logout()
        #expect(phone.notes.badges.contains(7))
        #expect(phone.notes.badges.last == 0)
        phone.whenRemoving(nil)
        await client.stop()
    }

    @Test("ID-4, MC-4: the recipient of a push is checked in the step in which it arrives")
    func formerPush() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone, key: "anna")
        try await client.engine.messageCenter.setEnabled(true)
        await client.waitUntilIdle()
        let push = try centerPush(
            "S", sync: true, badge: Badge(count: 7, revision: 9), to: FakeServer.tag(of: "anna"))
        try await client.identify(contactKey: "bert")
        await client.waitUntilIdle()
        let marks = try await client.engine.state().sync.centers.marks
        let isTaken = try await client.engine.push.noticed(push)
        #expect(!isTaken)
        #expect(try await client.engine.badge.badge.count == 0)
        #expect(try await client.engine.state().sync.centers.marks == marks)
        await client.stop()
    }

    @Test("BADGE-5, MC-4: a repeated push is recorded once and makes one fetch due, and its newer badge is adopted")
    func again() async throws {
        let world = try World()
        let phone = Phone(.granted, server: world.server)
        let client = try await world.start(on: phone)
        try await client.handlePush(centerPush("S-1", badge: Badge(count: 3, revision: 5)))
        try await client.handlePush(centerPush("S-1", badge: Badge(count: 4, revision: 7)))
        #expect(try await client.engine.badge.badge == Badge(count: 4, revision: 7))
        try await client.engine.messageCenter.setEnabled(true)
        await client.waitUntilIdle()
        let marks = try await client.engine.state().sync.centers.marks
        for _ in 0..<2 { try await client.handlePush(centerPush("S-2", sync: true)) }
        #expect(try await client.engine.state().sync.centers.marks == marks + 1)
        await client.stop()
    }
}
