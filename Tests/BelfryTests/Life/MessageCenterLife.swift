import BelfryModel
import Foundation
import Testing

@testable import Belfry

/// An hour of an app with a message center, on a device that may die once. When it has died, the app is started again and
/// does again what was not done.
struct MessageCenterLife: MortalLife {
    let world: World
    var deaths = 0
    /// Names the run in what it reports.
    private let place: String
    private var key: String? = "anna"
    private var html: String?
    /// The payload of the campaign's push, once it was sent.
    private var lastBadge: Badge?

    private static let hour: [Step] = [
        { try await $0.client.engine.messageCenter.refresh() },
        { life in life.html = try await life.client.engine.messageCenter.richContent(for: "message-1") },
        { try await $0.client.engine.messageCenter.setState(.read, of: "message-1") },
        { try await $0.client.engine.badge.set(5) },
        { try await $0.takePush() },
        { try await $0.client.engine.messageCenter.setState(.deleted, of: "message-2") },
        { life in life.world.clock.advance(by: 300) },
        { life in
            life.key = nil
            try await life.client.logout()
        },
        { life in
            life.key = "bert"
            try await life.client.identify(contactKey: "bert")
        },
        { try await $0.client.engine.messageCenter.refresh() },
        { try await $0.client.engine.messageCenter.setState(.read, of: "message-3") },
        { life in life.world.clock.advance(by: 1_000) },
        { life in life.world.clock.advance(by: 1_000) },
    ]

    init(_ place: String) async throws {
        self.place = place
        world = try World()
        await world.server.keep(for: "anna", html: "<p>rich</p>")
        await world.server.keep(for: "anna")
        await world.server.keep(for: "bert")
    }

    private var client: BelfryClient {
        get throws { try world.client }
    }

    mutating func live() async throws {
        try await begin()
        for step in Self.hour { try await take(step) }
    }

    /// The app's calls at each start.
    func launch() async throws {
        let client = try world.make()
        try await client.engine.messageCenter.setEnabled(true)
        try await client.start()
        // The anonymous link comes first in every life, so that all have the same writes.
        await client.waitUntilIdle()
        if let key { try await client.identify(contactKey: key) }
    }

    /// A campaign adds one to the badge; its push arrives again when the device died over it.
    private mutating func takePush() async throws {
        let device = try await world.state.id.rawValue
        if lastBadge == nil { lastBadge = await world.server.change(BadgeChange(op: .increment), of: device) }
        try await client.engine.push.noticed(centerPush("S-1", sync: true, badge: lastBadge))
    }

    /// Whatever returned is true on the server, and the two agree.
    func check() async throws {
        #expect(html == "<p>rich</p>", "\(place)")
        let inbox = await world.server.inbox
        #expect(inbox.messages["anna"]?.map(\.state) == [.read, .deleted], "\(place)")
        #expect(inbox.messages["bert"]?.map(\.state) == [.read], "\(place)")
        let client = try world.client
        let here = try await client.engine.messageCenter.messages(in: "Primary")
        #expect(here.messages.map(\.id) == ["message-3"] && here.messages.map(\.state) == [.read], "\(place)")
        #expect(here.error == nil, "\(place)")
        #expect(try await client.state().messageCenter.pendingStates == 0, "\(place)")
        let badge = try await client.engine.badge.badge
        let device = try await world.state.id.rawValue
        #expect(badge == inbox.badge(of: device) && badge.count == 0, "\(place)")
        let store = try client.recorder.storage.opened().store
        #expect(
            try store.richContent(of: "message-1", now: .distantPast) == nil,
            "the former person's rich content is here. \(place)")
        await world.kill()
    }
}
