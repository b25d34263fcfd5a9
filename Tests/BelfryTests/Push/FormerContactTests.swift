import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// Pushes for persons who used the device before.
struct FormerContactTests {
    private func push(_ sid: String, to contact: String?) throws -> ReceivedPush {
        let payload = PushPayload(sid: sid, to: contact.map { FakeServer.tag(of: $0) })
        return try #require(ReceivedPush(payload: payload, title: "Hello", body: "World"))
    }

    private func pushEvents(_ world: World) async -> [String] {
        await world.server.events.filter { $0.name.hasPrefix("push:") }
            .map { event in
                guard case .string(let sid)? = event.attributes["sid"] else { return event.name }
                return "\(event.name) \(sid)"
            }
    }

    /// A device on which anna was logged in and is no longer; the contacts, as the server names them.
    private func left(_ screen: ShownPushes) async throws -> (world: World, before: String, after: String) {
        let world = try World()
        let client = try await world.start(notifications: screen)
        await client.waitUntilIdle()
        let before = try #require(await world.server.contact)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        try await client.logout()
        await client.waitUntilIdle()
        return (world, before, try #require(await world.server.contact))
    }

    @Test("ID-4: a push for a former person is Belfry's, but neither shown nor recorded; any other is")
    func dropped() async throws {
        let screen = ShownPushes()
        let (world, before, after) = try await left(screen)
        let client = try world.client
        for (number, contact) in ["anna", before, after, "somebody", nil].enumerated() {
            let arrived = try push("S-\(number)", to: contact)
            #expect(try await client.mayShow(arrived) == (number > 1))
            #expect(try await client.handlePush(arrived))
            #expect(try await client.pushOpened(arrived))
        }
        #expect(try await client.pushDisplayed(push("S-5", to: "anna")))
        #expect(try await client.pushDismissed(push("S-6", to: "anna")))
        try await client.flush()
        #expect(await screen.ids == ["S-2", "S-3", "S-4"])
        let expected = (2...4).flatMap { ["push:received S-\($0)", "push:displayed S-\($0)", "push:click S-\($0)"] }
        #expect(await pushEvents(world) == expected)
        await world.kill()
        let drops = await reports(of: client).filter { $0 == .pushDropped(.formerContact) }
        #expect(drops.count == 6)
    }

    @Test("ID-4, REG-36: whether a push may be opened is known at once, before the start and while suspended")
    func atOnce() async throws {
        let (world, before, after) = try await left(ShownPushes())
        await world.kill()
        let client = try world.make()
        let cases: [(String, PushDropReason?)] = [("anna", .formerContact), (before, .formerContact), (after, nil)]
        for (contact, reason) in cases {
            #expect(try client.dropReasonAtOnce(of: push("S-1", to: contact)) == reason)
        }
        try await client.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        #expect(try client.dropReasonAtOnce(of: push("S-2", to: "anna")) == nil)
        try await client.identify(contactKey: "bert")
        #expect(try client.dropReasonAtOnce(of: push("S-2", to: "anna")) == .formerContact)
        try await client.wipe()
        #expect(try client.dropReasonAtOnce(of: push("S-3", to: nil)) == .resting)
        await world.kill()
    }

    @Test("ID-4: former persons are remembered over restarts; who logs in again gets their pushes again")
    func again() async throws {
        let screen = ShownPushes()
        let (world, _, _) = try await left(screen)
        await world.kill()
        let client = try await world.start(notifications: screen)
        try await client.handlePush(push("S-1", to: "anna"))
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        try await client.handlePush(push("S-2", to: "anna"))
        try await client.identify(contactKey: "bert")
        await client.waitUntilIdle()
        try await client.handlePush(push("S-3", to: "anna"))
        try await client.handlePush(push("S-4", to: "bert"))
        #expect(await screen.ids == ["S-2", "S-4"])
        await world.kill()
    }

    @Test("ID-8: a login is no change of person: pushes to the anonymous contact are still shown")
    func anonymous() async throws {
        let world = try World()
        let screen = ShownPushes()
        let client = try await world.start(notifications: screen)
        await client.waitUntilIdle()
        let before = try #require(await world.server.contact)
        for key in ["anna", "anna"] {
            try await client.identify(contactKey: key)
            await client.waitUntilIdle()
        }
        try await client.handlePush(push("S-1", to: before))
        try await client.handlePush(push("S-2", to: "anna"))
        #expect(await screen.ids == ["S-1", "S-2"])
        await world.kill()
    }

    @Test("ID-4: without a network the push of the person who logged out is dropped at once", arguments: [false, true])
    func offline(byEdit: Bool) async throws {
        let world = try World()
        let screen = ShownPushes()
        let client = try await world.start(notifications: screen)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        await world.server.set(isOffline: true)
        if byEdit {
            try await client.edit { $0.setContactKey("bert") }
        } else {
            try await client.logout()
            try await client.identify(contactKey: "bert")
        }
        try await client.handlePush(push("S-1", to: "anna"))
        try await client.handlePush(push("S-2", to: "bert"))
        #expect(await screen.ids == ["S-2"])
        await world.kill()
    }

    @Test("ID-4: a person who logged in and out without a network is a former one once the link is made")
    func neverLinked() async throws {
        let world = try World()
        let screen = ShownPushes()
        let client = try await world.start(notifications: screen)
        await client.waitUntilIdle()
        await world.server.set(isOffline: true)
        try await client.identify(contactKey: "anna")
        try await client.logout()
        await client.waitUntilIdle()
        await world.server.set(isOffline: false)
        try await client.networkReturns()
        await client.waitUntilIdle()
        #expect(await world.server.contact?.hasPrefix("anonymous") == true)
        try await client.handlePush(push("S-1", to: "anna"))
        #expect(await screen.ids.isEmpty)
        await world.kill()
    }
}
