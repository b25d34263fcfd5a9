import BelfryModel
import BelfryWire
import Foundation
import Testing

@testable import Belfry
@testable import BelfryNotificationService

/// The report that a push was received: by the extension if it can, by the app otherwise, and once (PUSH-8, LED-1).
@Suite(.timeLimit(.minutes(15)))
struct ReceptionReportTests {
    private func linked(_ phone: ExtendedPhone) async throws -> BelfryClient {
        let client = try await phone.world.start()
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        return client
    }

    private func received(_ phone: ExtendedPhone) async -> [FakeServer.StoredEvent] {
        await phone.world.server.events.filter { $0.name == "push:received" }
    }

    @Test("PUSH-8: the server hears of it while the app does not run; the app's own word of it adds nothing")
    func once() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        _ = try await linked(phone)
        await phone.world.kill()
        let report = try #require(phone.reception().decide(on: try extensionPush("S-1")).report)
        #expect(await report.send(by: phone.world.wire))
        #expect(await received(phone).map(\.contact) == ["anna"])
        // The system hands the same push to the extension once more.
        let again = try #require(phone.reception(seed: 8).decide(on: try extensionPush("S-1")).report)
        #expect(again.body == report.body)
        #expect(await again.send(by: phone.world.wire))
        let client = try await phone.world.start()
        try await client.handlePush(try extensionPush("S-1"))
        try await client.flush()
        #expect(await received(phone).count == 1)
        #expect(phone.folder.notes().isEmpty)
        await phone.world.kill()
    }

    @Test("PUSH-8, ID-6: an expired token is renewed once, for the extension alone, and known at the next push")
    func renewal() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        _ = try await linked(phone)
        await phone.world.kill()
        await phone.world.server.expireTokens()
        let report = try #require(phone.reception().decide(on: try extensionPush("S-1")).report)
        #expect(await report.send(by: phone.world.wire))
        let refreshes = await phone.world.server.count("POST /client/contact-token")
        #expect(refreshes == 1)
        let next = try #require(phone.reception(seed: 8).decide(on: try extensionPush("S-2")).report)
        #expect(await next.send(by: phone.world.wire))
        #expect(await phone.world.server.count("POST /client/contact-token") == refreshes)
        #expect(await received(phone).count == 2)
        let client = try await phone.world.start()
        try await client.track("cart:add")
        try await client.flush()
        #expect(await phone.world.server.events.contains { $0.name == "cart:add" }, "the app renews its own")
        await phone.world.kill()
    }

    @Test("PUSH-8: a report that fails is left to the app", arguments: [401, 500, 0])
    func failed(status: Int) async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        _ = try await linked(phone)
        await phone.world.kill()
        let report = try #require(phone.reception().decide(on: try extensionPush("S-1")).report)
        let response = TransportResponse(status: status)
        await phone.world.server.script("POST /client/events", status == 0 ? .lost : .answer(response))
        if status == 401 { await phone.world.server.script("POST /client/contact-token", .answer(response)) }
        #expect(await !report.send(by: phone.world.wire))
        let client = try await phone.world.start()
        try await client.flush()
        #expect(await received(phone).map { $0.attributes["sid"] } == ["S-1"])
        await phone.world.kill()
    }

    @Test("REG-36: who does not allow events is not reported, by neither side; what the push announces is fetched")
    func noTracking() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let client = try await phone.world.startCenters()
        try await client.setTrackingEnabled(false)
        let decision = phone.reception().decide(on: try extensionPush("S-1", sync: true))
        #expect(decision.report == nil)
        let fetches = await phone.world.server.count(FakeServer.fetch)
        try await client.didEnterForeground()
        try await client.flush()
        #expect(await received(phone).isEmpty)
        #expect(await phone.world.server.count(FakeServer.fetch) == fetches + 1)
        await phone.world.kill()
    }

    @Test("ID-7: between two contacts the extension reports nothing; the app does, for the right one")
    func pendingLink() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        let client = try await linked(phone)
        await phone.world.server.set(isOffline: true)
        try await client.identify(contactKey: "bert")
        #expect(phone.reception().decide(on: try extensionPush("S-1")).report == nil)
        await phone.world.server.set(isOffline: false)
        try await client.networkReturns()
        try await client.didEnterForeground()
        try await client.flush()
        #expect(await received(phone).map(\.contact) == ["bert"])
        await phone.world.kill()
    }

    @Test("PUSH-8: image and report run side by side, and neither outlasts its own time")
    func times() async throws {
        let phone = try ExtendedPhone()
        defer { phone.clean() }
        _ = try await linked(phone)
        let decision = phone.reception().decide(on: try extensionPush("S-1", image: "https://example.com/a.png"))
        let pauses = Locked<[TimeInterval]>([])
        var settings = NotificationServiceSettings(appCode: "shop", appGroupDirectory: phone.group)
        settings.imageTimeout = 100
        settings.reportTimeout = 2
        func work(_ fetch: @escaping @Sendable (String) async -> Data?, _ transport: any Transport) -> ReceptionWork {
            ReceptionWork(
                decision: decision, settings: settings, fetchImage: fetch, transport: { _ in transport },
                pause: { seconds in pauses.withLock { $0.append(seconds) } }
            )
        }
        // Both take until they are cancelled; the pauses end at once.
        let image = await work({ _ in await waitForEver(returning: Data([1])) }, SlowTransport()).run()
        #expect(image == nil)
        #expect(Set(pauses.withLock { $0 }) == [25, 2])
        await phone.world.kill()
    }
}

/// Returns when its task is cancelled.
private func waitForEver<Value: Sendable>(returning value: Value) async -> Value {
    await LoopSignal().wait(past: 0)
    return value
}

private struct SlowTransport: Transport {
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        await waitForEver(returning: TransportResponse(status: 200))
    }
}
