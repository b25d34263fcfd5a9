import BelfryModel
import BelfryRules
import BelfryWire
import Foundation
import Testing

@testable import Belfry

@Suite(.timeLimit(.minutes(15)))
struct StartTests {
    @Test("ID-1: the first start sends properties, links an anonymous contact, registers, and sends its events")
    func firstStart() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        #expect(
            await world.server.names == [
                "POST /client", "POST /client/contact?anonymous=true", "POST /client/registration",
                FakeServer.fetchInApp, "POST /client/events",
            ]
        )
        #expect(await world.server.events.map(\.name) == ["app:start", "session:start"])
        #expect(await world.server.events.allSatisfy { $0.contact.hasPrefix("anonymous") })
        await world.kill()
    }

    @Test("REG-1, REG-2: the first registration is sent at once with the device's properties")
    func firstRegistration() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let snapshots = await world.server.snapshots
        let snapshot = try #require(snapshots.first)
        let id = try await world.state.id.rawValue
        #expect(snapshot.deviceId == id)
        #expect(snapshot.revision == 1)
        #expect(snapshot.timeZone == "Europe/Paris")
        #expect(snapshot.locale == "fr_FR")
        #expect(snapshot.platform == "ios")
        #expect(snapshot.osVersion == "18.0")
        #expect(snapshot.appVersion == "1.0")
        #expect(snapshot.sdkVersion == "0.1.0")
        #expect(snapshot.deviceModel == "iPhone14,2")
        #expect(snapshot.lastOpenedAt == Timestamp.text(World.epoch))
        #expect(snapshot.pushEnabled)
        await world.kill()
    }

    @Test("ID-2: a second start sends neither properties nor link nor registration again")
    func secondStart() async throws {
        let world = try World()
        try await world.start().waitUntilIdle()
        let before = await world.server.names.count
        await world.kill()
        world.clock.advance(by: 3_600)
        try await world.start().waitUntilIdle()
        let names = await world.server.names
        #expect(names.dropFirst(before) == [FakeServer.fetchInApp, "POST /client/events"])
        let events = await world.server.events.map(\.name)
        #expect(events == ["app:start", "session:start", "session:end", "app:start", "session:start"])
        await world.kill()
    }

    @Test("ID-2, REG-5: a change in the system while the app was dead is sent at the next start")
    func changedSystem() async throws {
        let world = try World()
        try await world.start().waitUntilIdle()
        await world.kill()
        world.clock.advance(by: 3_600)
        world.setSystem { $0.appVersion = "2.0" }
        try await world.start().waitUntilIdle()
        #expect(await world.server.properties.map(\.applicationVersion) == ["1.0", "2.0"])
        try await world.advance(by: 60)
        #expect(await world.server.snapshots.map(\.appVersion) == ["1.0", "2.0"])
        await world.kill()
    }

    @Test("WIRE-20, WIRE-21: the headers name the installation, return the newest state, and order the requests")
    func headers() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        let requests = await world.server.requests
        let id = try await world.state.id.rawValue
        #expect(requests.allSatisfy { $0.headers[HeaderNames.clientID] == id })
        #expect(requests[0].headers[HeaderNames.clientState] == nil)
        let states = requests.dropFirst().compactMap { $0.headers[HeaderNames.clientState] }
        #expect(states.count == requests.count - 1)
        #expect(Set(states).count == states.count)
        #expect(requests[1].headers[HeaderNames.contactToken] == nil)
        #expect(requests[2].headers[HeaderNames.contactToken] != nil)
        let orders = requests.compactMap { $0.headers[HeaderNames.requestOrder].flatMap { Int64($0) } }
        #expect(orders.count == requests.count)
        #expect(orders[0] == World.epoch.milliseconds)
        #expect(zip(orders, orders.dropFirst()).allSatisfy { $0 < $1 })
        await world.kill()
    }

    @Test("WIRE-21: orders grow even when the clock is set back, and across restarts")
    func clockSetBack() async throws {
        let world = try World()
        try await world.start().waitUntilIdle()
        await world.kill()
        world.clock.advance(by: -86_400)
        let client = try await world.start()
        try await client.track("late")
        try await client.flush()
        let orders = await world.server.requests.compactMap { Int64($0.headers[HeaderNames.requestOrder] ?? "") }
        #expect(zip(orders, orders.dropFirst()).allSatisfy { $0 < $1 })
        #expect(await world.server.tracked.map(\.name) == ["late"])
        await world.kill()
    }

    @Test("REG-3, EVT-6: a background wake starts no session and sends no registration")
    func backgroundWake() async throws {
        let world = try World()
        let client = try await world.start(inForeground: false)
        await client.waitUntilIdle()
        #expect(await world.server.count("POST /client/registration") == 0)
        #expect(await world.server.events.isEmpty)
        try await client.didEnterForeground()
        await client.waitUntilIdle()
        #expect(await world.server.count("POST /client/registration") == 1)
        #expect(await world.server.events.map(\.name) == ["app:start", "session:start"])
        await world.kill()
    }

    @Test("REG-12: before a contact key is set nothing is sent; tracking is durable all the same")
    func delayed() async throws {
        let world = try World { $0.delayRegistrationUntilContactKeyIsSet = true }
        let client = try await world.start()
        try await client.track("early")
        try await client.flush()
        #expect(await world.server.requests.isEmpty)
        try await client.identify(contactKey: "anna")
        await client.waitUntilIdle()
        #expect(await world.server.names.prefix(2) == ["POST /client", "POST /client/contact"])
        #expect(await world.server.tracked.map(\.name) == ["early"])
        #expect(await world.server.snapshots.first?.contactKey == "anna")
        await world.kill()
    }

    @Test("EVT-6: an app that is shown between reading the state and listening has its session")
    func shownWhileAsked() async throws {
        let world = try World()
        let client = try BelfryClient(
            configuration: world.configuration,
            platform: ShownWhileAsked(),
            transport: world.server,
            environment: .manual(world.clock, Chance(seed: 1))
        )
        try await client.start()
        await eventually("the events arrived") { await !world.server.events.isEmpty }
        #expect(await world.server.events.map(\.name) == ["app:start", "session:start"])
        await client.stop()
    }

    @Test("EVT-6: of two starts at the same time the second hears of the app, too, whenever the first begins to listen")
    func twoStarts() async throws {
        let world = try World()
        let phone = Phone(.notAsked, server: world.server, startsInForeground: false)
        let client = try BelfryClient(
            configuration: world.configuration, platform: phone, transport: world.server,
            environment: .manual(world.clock, Chance(seed: 1))
        )
        // The first start, before it listens.
        try await client.engine.step { step throws(BelfryError) in step.process.isRunning = true }
        try await client.start()
        await eventually("the client heard of it") {
            phone.send(.foreground)
            return await client.engine.process.appState == .foreground
        }
        await client.stop()
    }

    @Test("EVT-9: the offset of the server's clock is stored")
    func serverClock() async throws {
        let world = try World()
        await world.server.set(clockAhead: 3_600)
        let client = try await world.start()
        await client.waitUntilIdle()
        #expect(try await client.state().serverClockOffset == 3_600)
        await world.kill()
    }
}

/// An app that is shown as soon as it was asked whether it is. Only who listens already hears of it.
private struct ShownWhileAsked: DevicePlatform {
    private let listener: Locked<AsyncStream<PlatformEvent>.Continuation?> = Locked(nil)

    func systemProperties() async -> SystemProperties {
        SystemProperties(platform: "ios")
    }

    func isInForeground() async -> Bool {
        listener.withLock { _ = $0?.yield(.foreground) }
        return false
    }

    func events() -> AsyncStream<PlatformEvent> {
        let made = AsyncStream<PlatformEvent>.makeStream(bufferingPolicy: .bufferingNewest(64))
        listener.withLock { $0 = made.continuation }
        return made.stream
    }
}
