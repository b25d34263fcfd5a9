import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Displays and opens in the message center, and how they are counted.
@Suite(.timeLimit(.minutes(15)))
struct EngagementTests {
    private func ids(_ name: EventName, in world: World) async -> [String] {
        await world.server.events.filter { $0.name == name.rawValue }.compactMap { event in
            if case .string(let id) = event.attributes["messageId"] { id } else { nil }
        }
    }

    @Test("ENG-1, ENG-2: each message counts once in a session, however often it is shown, and is sent at its end")
    func sessions() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.messageCenterViewWillAppear()
        for _ in 0..<5 {
            for id in ["m1", "m2"] { try await client.trackMessageCenterDisplay(id) }
        }
        await client.waitUntilIdle()
        #expect(await ids(.messageCenterDisplay, in: world).isEmpty)
        try await client.messageCenterViewWillDisappear()
        await client.waitUntilIdle()
        #expect(await ids(.messageCenterDisplay, in: world) == ["m1", "m2"])
        try await client.messageCenterViewWillAppear()
        try await client.trackMessageCenterDisplay("m1")
        try await client.messageCenterViewWillDisappear()
        await client.waitUntilIdle()
        #expect(await ids(.messageCenterDisplay, in: world) == ["m1", "m2", "m1"])
        let kinds = Set(await world.server.events.map(\.id))
        #expect(await world.server.events.count == kinds.count)
        await world.kill()
    }

    @Test("ENG-2: a view that is open for hours is one session; a kill ends it only when the app stays away")
    func kill() async throws {
        for (pause, count) in [(0.0, 1), (29, 1), (31, 2), (86_400, 2)] {
            let world = try World()
            var client = try await world.start()
            try await client.messageCenterViewWillAppear()
            world.clock.advance(by: 7_200)
            try await client.trackMessageCenterDisplay("m1")
            await world.kill()
            world.clock.advance(by: pause)
            client = try await world.start()
            try await client.messageCenterViewWillAppear()
            try await client.trackMessageCenterDisplay("m1")
            try await client.messageCenterViewWillDisappear()
            await client.waitUntilIdle()
            #expect(await ids(.messageCenterDisplay, in: world).count == count, "\(pause) seconds")
            await world.kill()
        }
    }

    @Test("ENG-3: an opening counts each time, in a session or not, and nothing but that")
    func opens() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.trackMessageCenterOpen("m1")
        try await client.messageCenterViewWillAppear()
        try await client.trackMessageCenterOpen("m1")
        try await client.trackMessageCenterOpen("m1")
        try await client.flush()
        #expect(await ids(.messageCenterOpen, in: world) == ["m1", "m1", "m1"])
        #expect(await ids(.messageCenterDisplay, in: world).isEmpty)
        await world.kill()
    }

    @Test("ENG-2, EVT-3: a lost response makes nothing count twice")
    func lostAnswer() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.script("POST /client/events", .answerLost, .answerLost)
        try await client.trackMessageCenterDisplay("m1")
        try await client.trackMessageCenterOpen("m1")
        try await client.messageCenterViewWillDisappear()
        await client.waitUntilIdle()
        for _ in 0..<3 { try await world.advance(by: 60) }
        #expect(await world.server.count("POST /client/events") >= 3)
        #expect(await ids(.messageCenterDisplay, in: world) == ["m1"])
        #expect(await ids(.messageCenterOpen, in: world) == ["m1"])
        #expect(try await client.state().queue.count == 0)
        await world.kill()
    }

    @Test("ENG-1, ID-4: a display belongs to the person who saw it; the next person begins a new session")
    func persons() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        try await client.messageCenterViewWillAppear()
        try await client.trackMessageCenterDisplay("m1")
        try await client.identify(contactKey: "bob")
        try await client.trackMessageCenterDisplay("m1")
        try await client.trackMessageCenterDisplay("m1")
        try await client.messageCenterViewWillDisappear()
        await client.waitUntilIdle()
        let displays = await world.server.events.filter { $0.name == EventName.messageCenterDisplay.rawValue }
        #expect(displays.map(\.contact) == ["anna", "bob"])
        await world.kill()
    }

    @Test("ENG-2, REG-36: without tracking nothing is counted or stored; nor with a wiped client")
    func untracked() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.messageCenterViewWillAppear()
        try await client.trackMessageCenterDisplay("m0")
        try await client.setTrackingEnabled(false)
        for _ in 0..<2 {
            try await client.messageCenterViewWillAppear()
            try await client.trackMessageCenterDisplay("m1")
            try await client.trackMessageCenterOpen("m1")
            try await client.messageCenterViewWillDisappear()
        }
        #expect(try await client.engine.state().display.session == nil)
        try await client.setTrackingEnabled(true)
        try await client.trackMessageCenterDisplay("m1")
        try await client.flush()
        #expect(await ids(.messageCenterDisplay, in: world) == ["m1"])
        #expect(await ids(.messageCenterOpen, in: world).isEmpty)
        try await client.wipe()
        try await client.messageCenterViewWillAppear()
        try await client.trackMessageCenterDisplay("m2")
        try await client.messageCenterViewWillDisappear()
        #expect(try await client.state().queue.count == 0)
        #expect(try await client.engine.state().display.session == nil)
        await world.kill()
    }

    @Test("ENG-2, ENG-3: an invalid message id is refused, and nothing is recorded")
    func rejections() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let before = try await client.state().queue.count
        for id in ["", String(repeating: "x", count: 129), "m\0"] {
            await #expect(throws: BelfryError.self) { try await client.trackMessageCenterDisplay(id) }
            await #expect(throws: BelfryError.self) { try await client.trackMessageCenterOpen(id) }
        }
        #expect(try await client.state().queue.count == before)
        #expect(try await client.engine.state().display.session == nil)
        await world.kill()
    }

    @Test("ENG-2: calls from a view are performed in their order without waiting, and errors are reported")
    func unawaited() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let view = { @Sendable (client: BelfryClient) -> Void in
            client.messageCenterViewWillAppear()
            for number in 0..<20 { client.trackMessageCenterDisplay("m\(number % 10)") }
            client.trackMessageCenterDisplay("")
            client.messageCenterViewWillDisappear()
            client.messageCenterViewWillAppear()
            client.trackMessageCenterDisplay("m0")
            client.trackMessageCenterOpen("m0")
        }
        view(client)
        try await client.messageCenterViewWillDisappear()
        await client.waitUntilIdle()
        let expected = (0..<10).map { "m\($0)" } + ["m0"]
        #expect(await ids(.messageCenterDisplay, in: world) == expected)
        #expect(await ids(.messageCenterOpen, in: world) == ["m0"])
        await world.kill()
        let failures = await reports(of: client).filter { if case .callFailed = $0 { true } else { false } }
        #expect(failures.count == 1)
    }
}

extension EngagementTests {
    /// Two looks at the message center, an app that says again what was interrupted, and a death at one write.
    private func twoLooks(_ world: World, dying: (write: Int, Mortality.Instant)?) async throws {
        try await world.start().waitUntilIdle()
        if let dying { world.mortality.doom(write: dying.write, dying.1) }
        let steps: [@Sendable (BelfryClient) async throws -> Void] = [
            { try await $0.messageCenterViewWillAppear() }, { try await $0.trackMessageCenterDisplay("a") },
            { try await $0.trackMessageCenterDisplay("b") }, { try await $0.trackMessageCenterDisplay("a") },
            { try await $0.messageCenterViewWillDisappear() }, { try await $0.messageCenterViewWillAppear() },
            { try await $0.trackMessageCenterDisplay("a") }, { try await $0.messageCenterViewWillDisappear() },
        ]
        for step in steps {
            do {
                try await step(world.client)
                await world.settle()
            } catch {
                guard world.mortality.isDead else { throw error }
                try await rise(world)
                try await step(world.client)
            }
        }
        for _ in 0..<2 {
            try? await world.client.flush()
            if world.mortality.isDead { try await rise(world) }
        }
    }

    private func rise(_ world: World) async throws {
        await world.kill()
        world.mortality.revive()
        try await world.start().waitUntilIdle()
    }

    @Test("ENG-2, REL-3: the device dies at any write, and each display is counted once in its session")
    func everyWrite() async throws {
        let whole = try World()
        try await whole.start().waitUntilIdle()
        let first = whole.mortality.writes.count
        await whole.kill()
        let calm = try World()
        try await twoLooks(calm, dying: nil)
        let last = calm.mortality.writes.count
        #expect(await ids(.messageCenterDisplay, in: calm) == ["a", "b", "a"])
        await calm.kill()
        #expect(last - first >= 8)
        for write in (first + 1)...last {
            for instant in Mortality.Instant.allCases {
                let world = try World()
                try await twoLooks(world, dying: (write, instant))
                let counted = await ids(.messageCenterDisplay, in: world)
                #expect(counted == ["a", "b", "a"], "\(instant.rawValue) \(write)")
                await world.kill()
            }
        }
    }
}
