import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Whether the person lets events be recorded.
struct TrackingChoiceTests {
    private func push(_ sid: String) throws -> ReceivedPush {
        try #require(ReceivedPush(payload: PushPayload(sid: sid), title: "Hello", body: "World"))
    }

    @Test("REG-36: off removes the queue, stops all events, and lasts over restarts; on continues")
    func choice() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.set(isOffline: true)
        try await client.track("before")
        #expect(try await client.state().queue.count == 1)
        try await client.setTrackingEnabled(false)
        #expect(try await client.state().queue.count == 0)
        try await client.track("while off")
        try await client.handlePush(push("S-1"))
        try await client.pushOpened(push("S-1"))
        try await client.didEnterBackground()
        try await world.advance(by: 60)
        try await client.didEnterForeground()
        let next = try await world.restart()
        try await next.track("after a restart")
        #expect(try await next.state().queue.count == 0)
        #expect(try await !next.state().trackingEnabled)
        #expect(try await next.state().json.contains(#""trackingEnabled" : false"#))
        await world.server.set(isOffline: false)
        try await next.networkReturns()
        try await next.flush()
        #expect(await world.server.events.map(\.name) == ["app:start", "session:start"])
        try await next.setTrackingEnabled(true)
        try await next.track("again")
        try await next.flush()
        let events = await world.server.events.dropFirst(2)
        #expect(events.map(\.name) == ["app:start", "session:start", "again"])
        #expect(events.last?.sessionID == events.dropFirst().first?.sessionID)
        #expect(events.last?.sessionID != nil)
        await world.kill()
    }

    @Test("REG-36: tracking off before the first start leaves no event at all")
    func beforeStart() async throws {
        let world = try World()
        let early = try world.make()
        try await early.setTrackingEnabled(false)
        try await early.track("early")
        try await early.start()
        await early.waitUntilIdle()
        #expect(await world.server.events.isEmpty)
        #expect(await world.server.snapshots.count == 1)
        await world.kill()
    }

    @Test("REG-36: registrations and pushes continue without events; a push is still shown once")
    func goesOn() async throws {
        let world = try World()
        let screen = ShownPushes()
        let client = try await world.start(notifications: screen)
        try await client.setTrackingEnabled(false)
        await client.waitUntilIdle()
        for _ in 0..<3 {
            let isOurs = try await client.handlePush(push("S-1"))
            #expect(isOurs)
        }
        #expect(await screen.ids == ["S-1"])
        try await client.setPushToken("0abcff", environment: .production)
        try await client.edit { $0.addTag("sports") }
        try await world.advance(by: 60)
        #expect(await world.server.pushToken == "0abcff")
        #expect(await world.server.snapshots.last?.tags == ["sports"])
        #expect(await world.server.events.allSatisfy { !$0.name.hasPrefix("push:") })
        await world.kill()
    }

    @Test("REG-36: an event beyond a limit is a mistake of the app, whatever the person chose")
    func rejectedEvent() async throws {
        let world = try World()
        let client = try world.make()
        try await client.setTrackingEnabled(false)
        await #expect(throws: BelfryError.self) { try await client.track(" ") }
        await world.kill()
    }

    @Test("REG-36: nothing is left after tracking is switched off, whatever is tracked meanwhile", arguments: 0..<10)
    func race(round: Int) async throws {
        let world = try World()
        let client = try await world.start()
        await world.server.set(isOffline: true)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    for number in 0..<100 { try await client.track("event \(worker) \(number)") }
                }
            }
            group.addTask { try await client.setTrackingEnabled(false) }
            try await group.waitForAll()
        }
        #expect(try await client.state().queue.count == 0, "round \(round)")
        let state = try await client.state()
        await world.kill()
        let reopened = try world.make()
        #expect(try await reopened.state().queue.count == 0, "round \(round)")
        #expect(state.queue.bytes == 0)
        await world.kill()
    }

    @Test("REG-36: a batch that is being sent when tracking is switched off leaves nothing behind")
    func underWay() async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        await world.server.set(rejectedAlone: ["leaving"])
        await gate.shut()
        try await client.track("leaving")
        async let flushed: Void = client.flush()
        await gate.holdsOne()
        try await client.setTrackingEnabled(false)
        await gate.open()
        try await flushed
        #expect(try await client.state().queue.count == 0)
        #expect(try await client.state().queue.bytes == 0)
        await client.stop()
    }

    @Test("REG-36: an unreadable choice counts as off")
    func unreadable() async throws {
        let world = try World()
        let client = try world.make()
        try client.recorder.storage.opened().store.commit(StoreChange(values: [.privacy: Data("rotten".utf8)]))
        await world.kill()
        let next = try await world.start()
        try await next.track("unheard")
        #expect(try await next.state().queue.count == 0)
        #expect(try await !next.state().trackingEnabled)
        await world.kill()
    }

    @Test("EVT-5: the server learns from app:start how many events the queue's limits have dropped")
    func losses() async throws {
        let world = try World { $0.queueLimits = QueueLimits(count: 5, bytes: 1_000_000, age: 86_400) }
        let client = try world.make()
        for number in 0..<8 {
            try await client.track("event \(number)")
        }
        try await client.start()
        await client.waitUntilIdle()
        let start = try #require(await world.server.events.first { $0.name == "app:start" })
        let expected: [String: AttributeValue] = ["droppedEvents": 3]
        #expect(start.attributes == expected)
        await world.kill()
        let calm = try World()
        try await calm.start().waitUntilIdle()
        #expect(await calm.server.events.first?.attributes.isEmpty == true)
        await calm.kill()
    }
}
