import BelfryModel
import BelfryRules
import BelfryTestSupport
import BelfryWire
import Foundation
import Testing

@testable import Belfry

struct WipeTests {
    private func push(_ sid: String) throws -> ReceivedPush {
        try #require(ReceivedPush(payload: PushPayload(sid: sid), title: "Hello", body: "World"))
    }

    /// Says everything that a device may be told about a person; nothing of it has left yet.
    private func tell(_ client: BelfryClient) async throws {
        try await client.identify(contactKey: "wipe-me-anna")
        try await client.edit { record in
            record.setAttribute("city", to: "wipe-me-city")
            record.addTag("wipe-me-tag")
            record.setPartyIdentifier(type: "email", name: "primary", number: "wipe-me-number")
        }
        try await client.setPushToken("wipe-me-token", environment: .production, provider: .fcm)
        try await client.handlePush(push("wipe-me-sid"))
        for number in 0..<50 {
            try await client.track("wipe-me-event", attributes: ["number": .number(Double(number))])
        }
    }

    @Test("REG-36: a wipe leaves nothing of the person in memory or in the files, however old it is")
    func nothingLeft() async throws {
        let world = try World()
        let client = try await world.start()
        try await tell(client)
        try await client.flush()
        await world.server.set(rejectedAlone: ["wipe-me-aside"])
        try await client.track("wipe-me-aside")
        try await client.flush()
        await world.server.set(isOffline: true)
        try await tell(client)
        let former = try await world.state.id
        try await client.wipe()
        let state = try await world.state
        #expect(state.id != former)
        #expect(state.record == ContactRecord())
        #expect(state.sync == SyncState())
        #expect(state.session == SessionRules())
        #expect(state.recipientTags == RecipientTags())
        let queue = try await client.state().queue
        #expect(queue.count == 0 && queue.bytes == 0 && queue.setAside == 0)
        for name in try FileManager.default.contentsOfDirectory(atPath: world.directory.path) {
            let data = try Data(contentsOf: world.directory.appendingPathComponent(name))
            for word in ["wipe-me", former.rawValue, "token-", "refresh-"] {
                #expect(data.range(of: Data(word.utf8)) == nil, "\(word) is in \(name)")
            }
        }
        await world.kill()
    }

    @Test("REG-36: a wiped client accepts and sends nothing until it is started; then it is a new installation")
    func rests() async throws {
        let world = try World()
        let screen = ShownPushes()
        let client = try await world.start(notifications: screen)
        try await tell(client)
        await client.waitUntilIdle()
        let shown = await screen.ids
        let former = try await world.state.id.rawValue
        try await client.wipe()
        let before = await world.server.requests.count
        try await client.track("unheard")
        #expect(try await client.identify(contactKey: "anna").error?.code == "wiped")
        #expect(try await client.identify(openIDToken: openIDToken(for: "anna")).error?.code == "wiped")
        #expect(try await client.setPushToken("0abcff", environment: .production).error?.code == "wiped")
        #expect(try await client.pushTokenRemoved().error?.code == "wiped")
        #expect(try await client.setPushPermission(true).error?.code == "wiped")
        #expect(try await client.edit { $0.addTag("sports") }.error?.code == "wiped")
        #expect(try await client.handlePush(push("S-9")))
        #expect(try await !client.mayShow(push("S-9")))
        try await client.logout()
        try await client.didEnterBackground()
        try await client.didEnterForeground()
        try await client.flush()
        for _ in 0..<5 {
            try await world.advance(by: 3_600)
        }
        #expect(await world.server.requests.count == before)
        #expect(await screen.ids == shown)
        let state = try await client.state()
        #expect(state.isResting && !state.erased && state.queue.count == 0)
        #expect(state.registration.reason == "resting")
        #expect(state.registration.nextAttemptAt == nil)
        await world.server.set(revision: 0)
        try await client.start()
        await client.waitUntilIdle()
        let requests = await world.server.requests.dropFirst(before)
        #expect(requests.first?.name == "POST /client")
        #expect(requests.allSatisfy { $0.headers[HeaderNames.clientID] != former })
        #expect(await world.server.contact?.hasPrefix("anonymous") == true)
        #expect(await world.server.snapshots.last?.tags?.isEmpty == true)
        #expect(await world.server.tracked.allSatisfy { $0.name == "wipe-me-event" })
        let started = await world.server.events.suffix(2).map(\.name)
        #expect(started == ["app:start", "session:start"])
        await world.kill()
    }

    @Test("REG-36: a wiped client that dies is started at the next launch, as a new installation")
    func relaunched() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let former = try await world.state.id
        try await client.wipe()
        await world.kill()
        let early = try world.make()
        try await early.track("before the start")
        #expect(try await early.state().queue.count == 0)
        await world.server.set(revision: 0)
        try await early.start()
        try await early.track("after the start")
        try await early.flush()
        #expect(try await world.state.id != former)
        #expect(await world.server.tracked.map(\.name) == ["after the start"])
        await world.kill()
    }

    @Test("REG-36: tracking that is off stays off after the wipe")
    func choiceStays() async throws {
        let world = try World()
        let client = try await world.start()
        try await client.setTrackingEnabled(false)
        for _ in 0..<2 {
            try await client.wipe()
        }
        let next = try await world.restart()
        try await next.track("unheard")
        #expect(try await !next.state().trackingEnabled)
        #expect(try await next.state().queue.count == 0)
        await world.kill()
    }

    @Test("REG-36: a response to the former installation changes nothing in the new one")
    func answerAfterwards() async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        await gate.shut()
        try await client.identify(contactKey: "anna")
        await gate.holdsOne()
        try await client.wipe()
        await gate.open()
        await client.waitUntilIdle()
        let state = try await client.engine.state()
        #expect(state.sync == SyncState())
        #expect(state.recipientTags == RecipientTags())
        await client.stop()
    }

    @Test("REG-14, REG-36: an edit of a suspended client sees nothing and stores nothing")
    func editAtRest() async throws {
        let world = try World()
        let client = try await world.start()
        try await tell(client)
        try await client.wipe()
        let results = try await client.edit { record in
            [
                record.setContactKey("anna"), record.setAttribute("city", to: "Paris"), record.clearAttribute("city"),
                record.addTag("a"), record.removeTag("a"), record.setPushEnabled(false),
                record.setPartyIdentifier(type: "email", name: "primary", number: "1"),
            ]
        }
        #expect(results.allSatisfy { $0.error?.code == "wiped" })
        #expect(try await client.edit { $0.tags }.isEmpty)
        #expect(try await world.state.record == ContactRecord())
        await world.kill()
    }
}
