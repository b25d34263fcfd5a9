import BelfryModel
import BelfryRules
import Foundation
import Testing

@testable import Belfry

/// Events of which nobody knows any more for whom they were tracked: they never become somebody else's.
struct OrphanedEventTests {
    @Test(
        "ID-7: beyond the kept changes, events of the dropped contact become dead letters, and none are mixed")
    func overflow() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.set(isOffline: true)
        for number in 0..<20 {
            try await client.identify(contactKey: "person \(number)")
            try await client.track("by person \(number)")
        }
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        try await client.flush()
        let tracked = await world.server.tracked
        #expect(tracked.allSatisfy { $0.name == "by \($0.contact)" })
        #expect(tracked.count == LinkRules.maximumPending)
        #expect(tracked.last?.name == "by person 19")
        #expect(await world.server.events.allSatisfy { $0.contact != "none" })
        let queue = try await client.state().queue
        #expect(queue.count == 0 && queue.setAside > 0)
        await world.kill()
        let counts = await reports(of: client).compactMap { report -> Int? in
            guard case .eventsSetAside(let count, EventOwners.orphanReason) = report else { return nil }
            return count
        }
        #expect(counts.reduce(0, +) == queue.setAside)
    }

    @Test("ID-7: events from before the start belong to the first contact, whatever contact comes next")
    func beforeTheStart() async throws {
        let world = try World()
        let client = try world.make()
        try await client.track("as anna")
        try await client.identify(contactKey: "anna")
        try await client.track("as anna too")
        try await client.logout()
        try await client.identify(contactKey: "bert")
        try await client.track("as bert")
        try await client.start()
        try await client.flush()
        #expect(await world.server.tracked.map(\.contact) == ["anna", "anna", "bert"])
        await world.kill()
    }

    @Test("ID-7: when the sync state is lost, queued events become dead letters and not the next contact's")
    func lostState() async throws {
        let world = try World()
        await world.server.set(isOffline: true)
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        try await client.track("as anna")
        // The loop is at rest, so that nothing mends the state again.
        await client.waitUntilIdle()
        try world.client.recorder.storage.opened().store.commit(StoreChange(values: [.sync: Data("rotten".utf8)]))
        await world.kill()
        await world.server.set(isOffline: false)
        let next = try await world.start()
        try await next.identify(contactKey: "bert")
        try await next.track("as bert")
        try await next.flush()
        let owners = await world.server.tracked.map { "\($0.name): \($0.contact)" }
        #expect(owners == ["as bert: bert"])
        #expect(try await next.state().queue.setAside > 0)
        await world.kill()
    }

    @Test("ID-7: an event that is stored after its contact was left is still theirs")
    func late() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        let owner = try await world.state.sync.link.owner
        try await client.logout()
        try await client.identify(contactKey: "bert")
        try await client.flush()
        let late = Event(
            id: EventID(UUID()),
            kind: .custom, name: try EventName("late"), timestamp: world.clock.now
        )
        let queued = QueuedEvent(owner: owner, trackedAt: world.clock.now, body: try EventBody.json(late))
        _ = try client.recorder.storage.opened().store.append(queued)
        try await client.flush()
        #expect(await world.server.tracked.map(\.contact) == ["anna"])
        await world.kill()
    }
}
