import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// No person sees another person's messages (MC-12, ID-4, ID-8).
struct MessageCenterSwitchTests {
    /// How the person changes.
    enum Change: String, CaseIterable, Sendable {
        case logout
        case identify
        case edit
    }

    private func perform(_ change: Change, on client: BelfryClient) async throws {
        switch change {
        case .logout: try await client.logout()
        case .identify: try await client.identify(contactKey: "bert")
        case .edit: _ = try await client.edit { $0.setContactKey("bert") }
        }
    }

    @Test(
        "MC-12: after a change the former person's messages are gone at once, and the next one's come",
        arguments: Change.allCases)
    func swapped(change: Change) async throws {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.keep(for: "anna", html: "<p>anna</p>") { $0.subject = "for-anna" }
        await world.server.keep(for: "bert")
        try await client.engine.messageCenter.refresh()
        _ = try await client.engine.messageCenter.richContent(for: "message-1")
        #expect(try await world.listed() == ["message-1"])
        await world.server.set(isOffline: true)
        try await perform(change, on: client)
        #expect(try await world.listed().isEmpty)
        #expect(try await client.engine.messageCenter.unreadCount(in: nil) == 0)
        let error = await thrownCenterError { () async throws(MessageCenterError) in
            _ = try await client.engine.messageCenter.richContent(for: "message-1")
        }
        #expect(error?.code == .noNetwork)
        for name in try FileManager.default.contentsOfDirectory(atPath: world.directory.path) {
            let data = try Data(contentsOf: world.directory.appendingPathComponent(name))
            #expect(data.range(of: Data("for-anna".utf8)) == nil, "\(name)")
        }
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        await client.waitUntilIdle()
        #expect(try await world.listed() == (change == .logout ? [] : ["message-2"]))
        #expect(try await client.engine.messageCenter.messages(in: "Primary").fetchedAt != nil)
        await world.kill()
    }

    @Test("MC-12: a response for the former person is dropped, and nobody is told", arguments: Change.allCases)
    func duringFetch(change: Change) async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        try await client.engine.messageCenter.setEnabled(true)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        await world.server.keep(for: "anna")
        await world.server.keep(for: "bert")
        let updates = client.engine.feeds.centerUpdates.listen()
        let responses = client.engine.feeds.centerResponses.listen()
        await gate.shut()
        world.clock.advance(by: 300)
        await gate.holdsOne()
        try await perform(change, on: client)
        await gate.open()
        await client.waitUntilIdle()
        #expect(
            try await client.engine.messageCenter.messages(in: "Primary").messages.map(\.id)
                == (change == .logout ? [] : ["message-2"]))
        await client.stop()
        var received: [Data] = []
        for await response in responses { received.append(response.json) }
        #expect(!received.contains { $0.range(of: Data("message-1".utf8)) != nil })
        var news = 0
        for await _ in updates { news += 1 }
        #expect(news == (change == .logout ? 0 : 1))
    }

    @Test("MC-12: elements that nobody has received yet are removed")
    func feed() async throws {
        let world = try World()
        let client = try await world.startCenters()
        let updates = client.engine.feeds.centerUpdates.listen()
        let responses = client.engine.feeds.centerResponses.listen()
        await world.server.keep(for: "anna")
        try await client.engine.messageCenter.refresh()
        // Whoever is next does not fetch before the end.
        await world.server.set(isOffline: true)
        try await client.logout()
        await client.stop()
        for await update in updates { Issue.record("\(update)") }
        for await _ in responses { Issue.record("a former person's messages were handed out") }
    }

    @Test("MC-9, MC-12: a former person's rich content in progress is neither returned nor stored")
    func duringRichContent() async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        try await client.engine.messageCenter.setEnabled(true)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        await world.server.keep(for: "anna", html: "<p>anna</p>")
        try await client.engine.messageCenter.refresh()
        await gate.shut()
        async let first = thrownCenterError { () async throws(MessageCenterError) in
            _ = try await client.engine.messageCenter.richContent(for: "message-1")
        }
        await gate.holdsOne()
        async let second = thrownCenterError { () async throws(MessageCenterError) in
            _ = try await client.engine.messageCenter.richContent(for: "message-1")
        }
        await eventually("both wait") { await client.engine.process.awaited.waiting.count == 2 }
        try await client.logout()
        await gate.open()
        #expect(await first?.code == .unknownMessage)
        #expect(await second?.code == .noContact)
        let asked = await world.server.count(FakeServer.richContent(of: "message-1"))
        #expect(asked == 1)
        let store = try client.recorder.storage.opened().store
        #expect(try store.richContent(of: "message-1", now: .distantPast) == nil)
        await client.stop()
    }

    @Test(
        "ID-8: an anonymous person's messages do not move to the known one; the same login changes nothing")
    func login() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.engine.messageCenter.setEnabled(true)
        await client.waitUntilIdle()
        let anonymous = try #require(await world.server.contact)
        await world.server.keep(for: anonymous)
        await world.server.keep(for: "anna")
        try await client.engine.messageCenter.refresh()
        #expect(try await world.listed() == ["message-1"])
        await world.server.set(isOffline: true)
        try await client.identify(contactKey: "anna")
        #expect(try await world.listed().isEmpty)
        await client.waitUntilIdle()
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        await client.waitUntilIdle()
        let fetches = await world.server.count(FakeServer.fetch)
        #expect(try await world.listed() == ["message-2"])
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        #expect(try await world.listed() == ["message-2"])
        #expect(await world.server.count(FakeServer.fetch) == fetches)
        await world.kill()
    }

    @Test("MC-12: after a kill between the change and the fetch nobody's messages are shown")
    func killed() async throws {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.keep(for: "anna")
        try await client.engine.messageCenter.refresh()
        await world.server.set(isOffline: true)
        try await client.logout()
        let next = try await world.restart()
        await next.waitUntilIdle()
        #expect(try await world.listed().isEmpty)
        #expect(try await next.engine.messageCenter.isEnabled)
        await world.kill()
    }
}
