import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import GRDB
import Testing

@testable import Belfry

/// The invariants after the day, wherever the device died (REL-3).
extension StoryLife {
    func check() async throws {
        try await checkEvents()
        try await checkDeadLetters()
        try await checkRegistration()
        try checkAttempts()
        await checkPushes()
        await checkSessions()
        try await checkRebirth()
    }

    /// Whatever `track` returned for is in the figures once, in order, under the right person.
    private func checkEvents() async throws {
        let tracked = await world.server.tracked
        let names = tracked.map(\.name)
        let inOrder = StoryStep.tracked.filter { names.contains($0) }
        #expect(names == inOrder, "once each, in order. \(place)")
        let lost = returned.filter { !names.contains($0) && ![StoryStep.poison, StoryStep.rejected].contains($0) }
        #expect(lost.isEmpty, "tracked and lost. \(place)")
        for event in tracked {
            let isOwners = owners[event.name].map { event.contact == $0 } ?? event.contact.hasPrefix("anonymous")
            #expect(isOwners, "\(event.name) went to \(event.contact). \(place)")
        }
        let queue = try await world.client.state().queue
        #expect(queue.count == 0 && queue.bytes == 0, "\(queue.count) events are left. \(place)")
        #expect(queue.droppedFull + queue.droppedOld == 0, "\(place)")
    }

    /// A poison event is aside with its reason, once; never its batch.
    private func checkDeadLetters() async throws {
        let faulty = [StoryStep.poison, StoryStep.rejected]
        let store = try world.client.recorder.storage.opened().store
        let (bodies, left) = try store.access { db in
            (
                try Data.fetchAll(db, sql: "SELECT body FROM set_aside WHERE reason <> '' ORDER BY id"),
                try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM event")
            )
        }
        let names = try bodies.map { try JSONDecoder().decode(WireEvent.self, from: $0).name ?? "none" }
        #expect(Set(names).count == names.count && Set(names).isSubset(of: faulty), "\(names) are aside. \(place)")
        let missing = returned.filter { faulty.contains($0) && !names.contains($0) }
        #expect(missing.isEmpty, "neither stored nor aside. \(place)")
        let counted = try await world.client.state().queue.setAside
        #expect(counted == names.count, "\(place)")
        #expect(left == 0, "the file holds events that nobody counts. \(place)")
    }

    /// The server has the record as it is, and knows the token and the person.
    private func checkRegistration() async throws {
        try await world.checkRegistered(place)
        let snapshot = await world.server.snapshots.last
        #expect(snapshot?.contactKey == "bert" && snapshot?.tags == ["art"], "\(place)")
        #expect(await world.server.pushToken == token, "\(place)")
        #expect(await world.server.contact == "bert", "\(place)")
    }

    /// There is one installation; its requests and revisions are in order, and it registers at most once a minute.
    private func checkAttempts() throws {
        let attempts = world.wire.attempts
        #expect(ghosts.withLock { $0 } == 0, "a dead process spoke. \(place)")
        let ids = Set(attempts.map { $0.request.headers[HeaderNames.clientID] })
        #expect(ids.count == 1, "the installation changed. \(place)")
        let orders = attempts.map { Int64($0.request.headers[HeaderNames.requestOrder] ?? "") ?? 0 }
        #expect(zip(orders, orders.dropFirst()).allSatisfy { $0 < $1 }, "requests out of order. \(place)")
        try world.checkRegistrationAttempts(place)
    }

    /// No push is counted or shown twice; those that arrived and were opened are counted.
    private func checkPushes() async {
        let events = await world.server.events.filter { $0.name.hasPrefix("push:") }
        let counts = Dictionary(
            events.map { event in ("\(event.name) \(event.attributes["sid"] ?? "")", 1) }, uniquingKeysWith: +)
        #expect(counts.values.allSatisfy { $0 == 1 }, "\(counts). \(place)")
        let kinds = Dictionary(grouping: events, by: \.name).mapValues(\.count)
        #expect(kinds["push:received"] == 3 && kinds["push:click"] == 2 && kinds["push:dismiss"] == 1, "\(place)")
        let shown = await screen.ids
        #expect(Set(shown).count == shown.count, "shown twice: \(shown). \(place)")
        #expect(kinds["push:displayed", default: 0] <= shown.count, "\(place)")
        // One may be lost if the device died between its arrival and its display.
        #expect(shown.count >= 3 - deaths, "\(place)")
    }

    /// Sessions follow each other, each with one start and one end, and hold the events that say so.
    private func checkSessions() async {
        var open: String?
        var seen: Set<String> = []
        for event in await world.server.events {
            switch event.name {
            case "session:start":
                #expect(open == nil, "a session began in another. \(place)")
                open = event.sessionID
                let isNew = seen.insert(event.sessionID ?? "none").inserted
                #expect(isNew, "a session began twice. \(place)")
            case "session:end":
                #expect(open != nil && event.sessionID == open, "a session ended that was not open. \(place)")
                open = nil
            default:
                #expect(event.sessionID == nil || event.sessionID == open, "\(event.name) is astray. \(place)")
            }
        }
        #expect(open == nil, "a session did not end. \(place)")
    }

    /// The stored state can be read: another process has the same.
    private func checkRebirth() async throws {
        let before = try await world.state
        await world.kill()
        _ = try world.make()
        let after = try await world.state
        #expect(after.id == before.id && after.record == before.record, "\(place)")
        #expect(after.sync == before.sync && after.session == before.session, "\(place)")
        await world.kill()
    }
}
