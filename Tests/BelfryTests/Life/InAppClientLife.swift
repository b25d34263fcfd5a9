import BelfryInAppRenderer
import BelfryModel
import Foundation
import Testing

@testable import Belfry

/// An hour of an app with in-app messages, on a device that may die once. When it has died, the app is started again and
/// does again what was not done. Each occasion comes twice: one on which the device dies before it has judged it is lost,
/// its message is not.
struct InAppClientLife: MortalLife {
    let world: World
    var deaths = 0
    /// Names the run in what it reports.
    private let place: String
    private var key: String? = "anna"

    private static let hour: [Step] = [
        { try await $0.refresh() },
        // The first message: shown once, at `cart:add`.
        { try await $0.client.track("cart:add") },
        { $0.world.clock.advance(by: 10) },
        { await $0.press(.click(buttonID: "go")) },
        { $0.world.clock.advance(by: 40) },
        { try await $0.client.track("cart:add") },
        // The second: an action, whose event counts.
        { try await $0.client.track("rate") },
        { $0.world.clock.advance(by: 40) },
        { try await $0.client.track("rate") },
        // The third is edited and then recalled.
        { life in await life.world.server.edit(3) { $0.content = #"{"title":"New"}"# } },
        { try await $0.client.handlePush(inAppPush("S-1")) },
        { try await $0.client.track("look") },
        { await $0.press(.close(.close)) },
        { $0.world.clock.advance(by: 40) },
        { try await $0.client.track("look") },
        { await $0.press(.close(.close)) },
        { $0.world.clock.advance(by: 40) },
        { life in await life.world.server.recall(4) },
        { try await $0.refresh() },
        { try await $0.client.track("gone") },
        { life in
            life.key = "bert"
            try await life.client.identify(contactKey: "bert")
        },
        { try await $0.refresh() },
        { $0.world.clock.advance(by: 100) },
        { try await $0.client.track("cart:add") },
        { await $0.press(.close(.swipe)) },
        { $0.world.clock.advance(by: 1_000) },
        { try await $0.client.track("cart:add") },
        { await $0.press(.close(.swipe)) },
        { $0.world.clock.advance(by: 1_000) },
    ]

    init(_ place: String) async throws {
        self.place = place
        world = try World()
        let content = #"{"title":"Hi","buttons":[{"id":"go","text":"Go","action":{"type":"event","name":"went"}}]}"#
        await world.server.publish { $0.content = content }
        await world.server.publish {
            $0.type = "action"
            $0.trigger = #"{"event":"rate"}"#
            $0.audience = ["anna"]
            $0.content = #"{"actions":[{"type":"event","name":"rated"}]}"#
        }
        await world.server.publish {
            $0.trigger = #"{"event":"look"}"#; $0.audience = ["anna"]
        }
        await world.server.publish {
            $0.trigger = #"{"event":"gone"}"#; $0.audience = ["anna"]
        }
    }

    private var client: BelfryClient {
        get throws { try world.client }
    }

    /// A missing network does not fail the story.
    private func refresh() async throws {
        let client = try client
        do throws(InAppError) {
            try await client.refreshInAppMessages()
        } catch {
            guard error.code != .storageUnavailable, error.code != .stopped else { throw error }
        }
    }

    mutating func live() async throws {
        try await begin()
        for step in Self.hour { try await take(step) }
    }

    /// The person's action reaches the client through a stream, and takes the page off the screen.
    private func press(_ command: InAppBridgeCommand) async {
        guard let page = world.screen.onScreen, world.screen.send(command) else { return }
        await eventually("the page is gone") {
            self.world.mortality.isDead || self.world.screen.notes.closed.contains(page)
        }
    }

    /// The app's calls at each start.
    func launch() async throws {
        let client = try world.make()
        try await client.start()
        // The anonymous link comes first in every life, so that all have the same writes.
        await client.waitUntilIdle()
        if let key { try await client.identify(contactKey: key) }
    }

    /// Whatever happened, each message was shown, and none beyond its limit; the server knows of each once.
    func check(isWhole: Bool) async throws {
        try await client.flush()
        let events = await world.server.events.filter { $0.name.hasPrefix("inapp:") && $0.name != "inapp:notShown" }
        let viewed = events.filter { $0.name == "inapp:viewed" }
        let seen = viewed.map { "\($0.attributes["campaignId"].map { "\($0)" } ?? "") \($0.contact)" }
        #expect(Set(seen).count == seen.count, "none beyond its limit. \(place)")
        // A message that was appearing when the process died counts as displayed, although it may not have been.
        let presented = world.screen.notes.presented
        #expect(presented.count <= 3, "\(place)")
        #expect(world.screen.notes.mostAtOnce <= 1, "\(place)")
        #expect(presented.allSatisfy { $0.message.campaignID != "4" }, "it was recalled. \(place)")
        #expect(await world.server.events.count { $0.name == "rated" } == 1, "\(place)")
        let clicks = events.filter { $0.name == "inapp:click" }
        #expect(await world.server.events.count { $0.name == "went" } == clicks.count, "\(place)")
        if isWhole {
            #expect(seen.count == 4 && presented.count == 3 && clicks.count == 1, "\(place)")
            #expect(events.count { $0.name == "inapp:dismiss" } == 3, "\(place)")
        }
        #expect(Set(seen).count == 4, "none is lost: \(seen). \(place)")
        let store = try client.recorder.storage.opened().store
        #expect(try store.inAppMessages().isEmpty, "\(place)")
        await world.kill()
    }
}
