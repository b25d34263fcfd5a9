import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

struct EventTests {
    @Test("EVT-1: events are stored and arrive in the order in which they were tracked, unchanged")
    func order() async throws {
        let world = try World()
        let client = try await world.start()
        for number in 0..<1_200 {
            try await client.track("step", attributes: ["number": .number(Double(number))])
        }
        try await client.flush()
        let tracked = await world.server.tracked
        let expected = (0..<1_200).map { ["number": AttributeValue.number(Double($0))] }
        #expect(tracked.map(\.attributes) == expected)
        let sessions = tracked.compactMap(\.sessionID)
        #expect(sessions.count == 1_200)
        #expect(Set(sessions).count == 1)
        await world.kill()
    }

    @Test("EVT-1: an event tracked before the start, or while the network is gone, is durable")
    func beforeStart() async throws {
        let world = try World()
        let early = try world.make()
        try await early.track("before the start")
        await world.kill()
        await world.server.set(isOffline: true)
        let client = try await world.start()
        try await client.track("offline")
        await world.kill()
        await world.server.set(isOffline: false)
        try await world.start().waitUntilIdle()
        #expect(await world.server.tracked.map(\.name) == ["before the start", "offline"])
        await world.kill()
    }

    @Test("EVT-2: a few events wait for others, many are sent at once, and none waits longer than its age")
    func flushPolicy() async throws {
        let world = try World {
            $0.uploads = UploadPolicy(flushCount: 10, flushAge: 30)
        }
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.track("first")
        await client.waitUntilIdle()
        #expect(await world.server.tracked.isEmpty)
        try await world.advance(by: 29)
        #expect(await world.server.tracked.isEmpty)
        try await world.advance(by: 1)
        #expect(await world.server.tracked.count == 1)
        for number in 0..<10 {
            try await client.track("more \(number)")
        }
        await client.waitUntilIdle()
        #expect(await world.server.tracked.count == 11)
        await world.kill()
    }

    @Test("EVT-2, PUSH-23: events are sent when the app goes to the background and when it comes back")
    func lifecycle() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        try await client.track("in front")
        try await client.didEnterBackground()
        await client.waitUntilIdle()
        #expect(await world.server.tracked.map(\.name) == ["in front"])
        try await client.track("behind")
        try await client.didEnterForeground()
        await client.waitUntilIdle()
        #expect(await world.server.tracked.map(\.name) == ["in front", "behind"])
        await world.kill()
    }

    @Test("EVT-3: an event whose response was lost is sent again and stored once")
    func lostAnswer() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.script("POST /client/events", .answerLost, .answerLost)
        try await client.track("once")
        try await client.flush()
        try await world.advance(by: 3)
        try await world.advance(by: 10)
        #expect(await world.server.count("POST /client/events") == 4)
        #expect(await world.server.tracked.map(\.name) == ["once"])
        #expect(try await client.state().queue.count == 0)
        await world.kill()
    }

    @Test("EVT-4: events that the server refuses alone become dead letters, the others are stored")
    func rejectedAlone() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.set(rejectedAlone: ["bad"])
        for name in ["one", "bad", "two", "bad", "three"] {
            try await client.track(name)
        }
        try await client.flush()
        #expect(await world.server.tracked.map(\.name) == ["one", "two", "three"])
        let state = try await client.state()
        #expect(state.queue.setAside == 2)
        #expect(state.queue.count == 0)
        await world.kill()
        let made = await reports(of: client)
        #expect(made == [ClientReport.eventsSetAside(count: 2, reason: "refused alone")])
    }

    @Test("EVT-4: a poison event is found and becomes a dead letter, never its batch; 413 splits the batch")
    func poison() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.set(poison: ["poison"], maximumBody: 4_000)
        var expected: [String] = []
        for number in 0..<60 {
            let name = number == 23 ? "poison" : "event \(number)"
            try await client.track(name)
            if number != 23 { expected.append(name) }
        }
        try await client.flush()
        #expect(await world.server.tracked.map(\.name) == expected)
        #expect(try await client.state().queue.setAside == 1)
        await world.kill()
    }

    @Test("EVT-5: 503 keeps events and backs off; Retry-After is honoured")
    func retryAfter() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let busy = FakeServer.error(503, "busy", headers: ["Retry-After": "120"])
        await world.server.script("POST /client/events", .answer(busy))
        try await client.track("patient")
        try await client.flush()
        try await world.advance(by: 119)
        #expect(await world.server.tracked.isEmpty)
        try await world.advance(by: 1)
        #expect(await world.server.tracked.map(\.name) == ["patient"])
        await world.kill()
    }

    @Test("EVT-5, REG-7: without a network nothing spins and nothing is lost; events are sent when it is back")
    func offline() async throws {
        let world = try World()
        await world.server.set(isOffline: true)
        let client = try await world.start()
        try await client.track("offline")
        for _ in 0..<48 {
            try await world.advance(by: 1_800)
        }
        #expect(await world.server.requests.isEmpty)
        #expect(try await client.state().queue.count == 3)
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        await client.waitUntilIdle()
        #expect(await world.server.tracked.map(\.name) == ["offline"])
        #expect(await world.server.snapshots.count == 1)
        await world.kill()
    }

    @Test("EVT-5: a response that is not from a Belfry server removes no event")
    func signInPage() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let page = TransportResponse(status: 200, body: Data("<html>Please sign in</html>".utf8))
        await world.server.script("POST /client/events", .answer(page))
        try await client.track("kept")
        try await client.flush()
        #expect(try await client.state().queue.count == 1)
        try await world.advance(by: 60)
        #expect(await world.server.tracked.map(\.name) == ["kept"])
        await world.kill()
    }

    @Test("EVT-5, WIRE-20: a success without the client state is not from Belfry: the call is repeated")
    func intermediary() async throws {
        let world = try World()
        let empty = TransportResponse(status: 204)
        await world.server.script("POST /client", .intermediary(empty))
        let client = try await world.start()
        await client.waitUntilIdle()
        #expect(await world.server.properties.isEmpty)
        try await world.advance(by: 60)
        #expect(await world.server.properties.count == 1)
        let json = TransportResponse(status: 200, body: Data("{}".utf8))
        await world.server.script("POST /client/events", .intermediary(empty))
        await world.server.script("PUT /client/push-token", .intermediary(json))
        try await client.track("kept")
        try await client.setPushToken("abcdef", environment: .production)
        try await client.flush()
        #expect(await world.server.tracked.isEmpty)
        #expect(await world.server.pushToken == nil)
        for _ in 0..<3 {
            try await world.advance(by: 60)
        }
        #expect(await world.server.tracked.map(\.name) == ["kept"])
        #expect(await world.server.pushToken == "abcdef")
        await world.kill()
    }

    @Test("EVT-5: a redirect is never a response of Belfry's")
    func redirected() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let page = TransportResponse(status: 302, headers: ["Location": "https://hotspot.example/"])
        await world.server.script("POST /client/events", .intermediary(page))
        try await client.track("kept")
        try await client.flush()
        #expect(try await client.state().queue.count == 1)
        #expect(try await client.state().queue.lastError?.status == 302)
        // As after any network failure, the return of the network ends the wait.
        try await client.networkReturns()
        await client.waitUntilIdle()
        #expect(await world.server.tracked.map(\.name) == ["kept"])
        await world.kill()
    }

    @Test("EVT-5: beyond the queue's limits the oldest events are dropped, counted and reported")
    func limits() async throws {
        let world = try World { $0.queueLimits = QueueLimits(count: 5, bytes: 1_000_000, age: 3_600) }
        await world.server.set(isOffline: true)
        let client = try world.make()
        for number in 0..<8 {
            try await client.track("event \(number)")
        }
        #expect(try await client.state().queue.count == 5)
        #expect(try await client.state().queue.droppedFull == 3)
        try await client.start()
        await client.waitUntilIdle()
        try await world.advance(by: 3_700)
        #expect(try await client.state().queue.count == 0)
        await world.kill()
        let dropped = await reports(of: client)
        #expect(dropped.prefix(3).allSatisfy { $0 == ClientReport.eventsDropped(count: 1, reason: .queueFull) })
        // The events of the session make room for themselves, too.
        #expect(dropped.dropFirst(3).first == ClientReport.eventsDropped(count: 2, reason: .queueFull))
        #expect(dropped.last == ClientReport.eventsDropped(count: 5, reason: .tooOld))
    }

    @Test("EVT-6: a session ends after its time-out in the background, with the duration that it was shown")
    func session() async throws {
        let world = try World { $0.sessionTimeout = 60 }
        let client = try await world.start()
        try await world.advance(by: 90)
        try await client.didEnterBackground()
        try await world.advance(by: 59)
        try await client.flush()
        #expect(await world.server.events.map(\.name) == ["app:start", "session:start"])
        try await world.advance(by: 1)
        try await client.flush()
        let end = try #require(await world.server.events.last)
        #expect(end.name == "session:end")
        #expect(end.attributes == ["duration": AttributeValue.number(90_000)])
        let start = await world.server.events[1]
        #expect(end.sessionID == start.sessionID)
        await world.kill()
    }

    @Test("EVT-8: an event beyond a limit is refused with the field and the limit, and nothing is recorded")
    func rejections() async throws {
        let world = try World()
        let client = try world.make()
        let many = Dictionary(uniqueKeysWithValues: (0...64).map { ("key \($0)", AttributeValue.boolean(true)) })
        let cases: [(name: String, attributes: [String: AttributeValue], field: String)] = [
            ("", [:], "name"), (" \n", [:], "name"), (String(repeating: "x", count: 129), [:], "name"),
            ("event", many, "attributes"), ("event", ["": 1], "attributes"),
            ("event", ["rate": .number(.nan)], "attributes.rate"),
            ("event", ["rate": .number(.infinity)], "attributes.rate"),
            ("ev\0ent", [:], "name"), ("event", ["te\0xt": "a"], "attributes"),
            ("event", ["text": "a\0b"], "attributes.text"),
            ("event", ["text": .string(String(repeating: "ä", count: 33_000))], "attributes"),
        ]
        for (name, attributes, field) in cases {
            do throws(BelfryError) {
                try await client.track(name, attributes: attributes)
                Issue.record("\(field) was taken")
            } catch {
                #expect(error.code == .invalidEvent)
                #expect(error.field == field)
            }
        }
        try await client.track(" trimmed ")
        try await client.track(String(repeating: "x", count: 128))
        #expect(try await client.state().queue.count == 2)
        await world.kill()
    }
}
