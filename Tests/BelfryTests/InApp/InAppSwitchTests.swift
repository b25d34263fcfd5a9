import BelfryInAppRenderer
import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

/// No person sees another person's messages (IAM-11, ID-4, ID-8).
struct InAppSwitchTests {
    enum Change: String, CaseIterable, Sendable {
        case logout
        case identify
        case edit
        case wipe
    }

    private func perform(_ change: Change, on client: BelfryClient) async throws {
        switch change {
        case .logout: try await client.logout()
        case .identify: try await client.identify(contactKey: "bert")
        case .edit: _ = try await client.edit { $0.setContactKey("bert") }
        case .wipe: try await client.wipe()
        }
    }

    private func world() async throws -> World {
        let world = try World()
        try await world.startInApp("anna")
        await world.server.publish { $0.audience = ["anna"] }
        try await world.client.refreshInAppMessages()
        return world
    }

    @Test(
        "IAM-11: a former person's messages are gone from the file and from the screen", arguments: Change.allCases
    )
    func gone(change: Change) async throws {
        let world = try await world()
        await world.server.edit(1) { $0.content = #"{"title":"for-anna"}"# }
        try await world.client.refreshInAppMessages()
        try await world.track("cart:add")
        #expect(world.screen.onScreen != nil)
        world.clock.advance(by: 7)
        await world.server.set(isOffline: true)
        try await perform(change, on: world.client)
        #expect(world.screen.onScreen == nil, "it is gone when the call returns")
        #expect(try await world.client.inAppMessages.isEmpty)
        for name in try FileManager.default.contentsOfDirectory(atPath: world.directory.path) {
            let data = try Data(contentsOf: world.directory.appendingPathComponent(name))
            #expect(data.range(of: Data("for-anna".utf8)) == nil, "\(name)")
        }
        await world.server.set(isOffline: false)
        try await world.client.networkReturns()
        await world.settleScreen()
        guard change != .wipe else { return await world.kill() }
        let dismissed = try await world.client.flushed(world).filter { $0.name == "inapp:dismiss" }
        #expect(dismissed.map(\.contact) == ["anna"])
        #expect(dismissed.map { $0.attributes["seconds"] } == [7])
        try await world.track("cart:add")
        #expect(world.screen.onScreen == nil)
        await world.kill()
    }

    @Test("IAM-11: a page that was loaded for a former person is not shown", arguments: Change.allCases)
    func whileLoading(change: Change) async throws {
        let world = try await world()
        let turnstile = try await world.hold(.loading)
        try await perform(change, on: world.client)
        turnstile.open()
        await eventually("the page is closed") { world.screen.notes.closed.count == 1 }
        #expect(world.screen.notes.presented.isEmpty)
        await world.kill()
    }

    @Test("IAM-11: one that was just being put on the screen closes at once, and counts for the former person")
    func whilePresenting() async throws {
        let world = try await world()
        let turnstile = try await world.hold(.presenting)
        try await world.client.identify(contactKey: "bert")
        turnstile.open()
        await eventually("it is gone") { world.screen.notes.presented.count == 1 && world.screen.onScreen == nil }
        let events = try await world.client.flushed(world).filter { $0.name.hasPrefix("inapp:") }
        #expect(events.map(\.name) == ["inapp:viewed"] && events.map(\.contact) == ["anna"])
        await world.kill()
    }

    @Test("IAM-11, WIRE-9: a response for a former person is dropped, and their cursor is not used again")
    func duringFetch() async throws {
        let world = try World()
        try await world.startInApp("anna")
        await world.server.publish { $0.audience = ["anna"] }
        await world.server.publish { $0.audience = ["bert"] }
        async let fetch: Void? = try? await world.client.refreshInAppMessages()
        try await world.client.identify(contactKey: "bert")
        _ = await fetch
        await world.settleScreen()
        #expect(try await world.client.inAppMessages.map(\.campaignID) == ["2"])
        await world.kill()
    }

    @Test("ID-8, IAM-8: displays to an anonymous person count when they log in, and after a return")
    func counts() async throws {
        let world = try World { $0.inApp.minimumGap = 0 }
        try await world.start()
        await world.server.publish()
        await world.settleScreen()
        try await world.client.refreshInAppMessages()
        try await world.track("cart:add")
        try await world.press(.close(.close))
        try await world.client.identify(contactKey: "anna")
        await world.settleScreen()
        try await world.track("cart:add")
        #expect(world.screen.notes.presented.count == 1, "the same person")
        try await world.client.identify(contactKey: "bert")
        await world.settleScreen()
        try await world.track("cart:add")
        #expect(world.screen.notes.presented.count == 2, "another person")
        try await world.press(.close(.close))
        try await world.client.identify(contactKey: "anna")
        await world.settleScreen()
        try await world.track("cart:add")
        #expect(world.screen.notes.presented.count == 2)
        await world.kill()
    }

    @Test("ID-4: a silent push for a former person makes nothing due")
    func push() async throws {
        let world = try await world()
        let tag = FakeServer.tag(of: "anna")
        try await world.client.identify(contactKey: "bert")
        await world.settleScreen()
        let before = await world.server.count(FakeServer.fetchInApp)
        try await world.client.handlePush(inAppPush("S-1", to: tag))
        await world.settleScreen()
        #expect(await world.server.count(FakeServer.fetchInApp) == before)
        await world.kill()
    }
}

extension BelfryClient {
    /// The events that the server has, after all that wait were sent.
    fileprivate func flushed(_ world: World) async throws -> [FakeServer.StoredEvent] {
        try await flush()
        return await world.server.events
    }
}
