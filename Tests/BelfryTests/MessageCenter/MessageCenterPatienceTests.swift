import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

/// Callers that wait for a request: together if one request serves them, and never against a `Retry-After`.
@Suite(.timeLimit(.minutes(15)))
struct MessageCenterPatienceTests {
    private static let busy = FakeServer.error(503, "maintenance", headers: ["Retry-After": "1800"])

    private func refreshError(_ client: BelfryClient) async -> MessageCenterError? {
        await thrownCenterError { () async throws(MessageCenterError) in
            try await client.engine.messageCenter.refresh()
        }
    }

    private func badgeError(_ client: BelfryClient) async -> MessageCenterError? {
        await thrownCenterError { () async throws(MessageCenterError) in try await client.engine.badge.set(1) }
    }

    @Test("MC-13, BADGE-2: during a Retry-After calls fail at once with the server's error")
    func patience() async throws {
        let world = try World()
        let client = try await world.startCenters()
        await world.server.script(FakeServer.fetch, .answer(Self.busy))
        await world.server.script(FakeServer.putBadge, .answer(Self.busy))
        #expect(await refreshError(client)?.numericCode == 503)
        #expect(await badgeError(client)?.numericCode == 503)
        let requests = await world.server.requests.count
        for _ in 0..<5 {
            #expect(await refreshError(client)?.numericCode == 503)
            #expect(await badgeError(client)?.numericCode == 503)
        }
        #expect(await world.server.requests.count == requests)
        try await world.advance(by: 1_801)
        try await client.engine.messageCenter.refresh()
        try await client.engine.badge.set(1)
        await world.kill()
    }

    @Test("MC-4: one fetch serves all who waited before it was sent")
    func together() async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        try await client.engine.messageCenter.setEnabled(true)
        await client.waitUntilIdle()
        let before = await world.server.count(FakeServer.fetch)
        await gate.shut()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await client.engine.messageCenter.refresh() }
            await gate.holdsOne()
            for _ in 0..<5 { group.addTask { try await client.engine.messageCenter.refresh() } }
            await eventually("all wait") { await client.engine.process.awaited.waiting.count == 6 }
            await gate.open()
            try await group.waitForAll()
        }
        #expect(await world.server.count(FakeServer.fetch) == before + 2)
        await client.stop()
    }

    @Test("BADGE-2: a cancelled caller stops waiting, and a call that was not sent is not sent")
    func cancelled() async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        try await client.engine.messageCenter.setEnabled(true)
        await client.waitUntilIdle()
        await gate.shut()
        let refresh = Task { try await client.engine.messageCenter.refresh() }
        await gate.holdsOne()
        let set = Task { await badgeError(client) }
        await eventually("both wait") { await client.engine.process.awaited.waiting.count == 2 }
        set.cancel()
        #expect(await set.value?.code == .cancelled)
        refresh.cancel()
        await gate.open()
        try await refresh.value
        await client.waitUntilIdle()
        #expect(await world.server.count(FakeServer.putBadge) == 0)
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            return await badgeError(client)
        }
        late.cancel()
        #expect(await late.value?.code == .cancelled)
        await client.stop()
    }

    @Test("MC-6, MC-10: a list for which nothing could be fetched says why", arguments: [true, false])
    func nothingFetched(isLink: Bool) async throws {
        let world = try World()
        let call = isLink ? "POST /client/contact?anonymous=true" : "POST /client"
        await world.server.script(call, .answer(Self.busy))
        let client = try await world.start()
        try await client.engine.messageCenter.setEnabled(true)
        await client.waitUntilIdle()
        #expect(await world.server.count(FakeServer.fetch) == 0)
        #expect(try await world.listed().isEmpty)
        #expect(try await world.centerError()?.numericCode == 503)
        try await world.advance(by: 1_801)
        #expect(try await world.centerError() == nil)
        await world.kill()
    }

    @Test("MC-14: a deleted message does not come back because the server refuses the state")
    func rejectedState() async throws {
        let world = try World()
        let client = try await world.startCenters()
        let id = await world.server.keep(for: "anna")
        try await client.engine.messageCenter.refresh()
        await world.server.script(FakeServer.putState(of: id), .answer(FakeServer.error(404, "unknownMessage")))
        try await client.engine.messageCenter.setState(.deleted, of: id)
        await client.waitUntilIdle()
        let store = try client.recorder.storage.opened().store
        #expect(try store.pendingStates().count == 0)
        #expect(try await world.listed().isEmpty)
        #expect(try await client.engine.messageCenter.unreadCount(in: nil) == 0)
        await world.kill()
    }

    @Test("MC-7, MC-9: rich content ends with its message's expiry, even if the message left the lists before")
    func expiredContent() async throws {
        let world = try World()
        let client = try await world.startCenters()
        let expiry = world.clock.now.addingTimeInterval(3_600)
        let id = await world.server.keep(for: "anna", html: "<p>") { $0.expiresAt = expiry }
        try await client.engine.messageCenter.refresh()
        #expect(try await client.engine.messageCenter.richContent(for: id) == "<p>")
        for _ in 0..<20 { await world.server.keep(for: "anna") }
        world.clock.advance(by: 60)
        try await client.engine.messageCenter.refresh()
        #expect(try await !world.listed().contains(id))
        #expect(try await client.engine.messageCenter.richContent(for: id) == "<p>")
        world.clock.advance(by: 3_540)
        let error = await thrownCenterError { () async throws(MessageCenterError) in
            _ = try await client.engine.messageCenter.richContent(for: id)
        }
        #expect(error?.code == .unknownMessage)
        await world.kill()
    }
}
