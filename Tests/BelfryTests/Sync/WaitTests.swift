import Foundation
import Testing

@testable import Belfry

/// Events that end a wait early.
struct WaitTests {
    @Test("REG-6, REG-7: only a network that was gone ends a wait, and only an app that was in the background")
    func endsOfWaits() async throws {
        let world = try World()
        let client = try await world.start()
        await client.waitUntilIdle()
        await world.server.set(isOffline: true)
        try await client.track("waiting")
        try await client.flush()
        let tried = world.wire.attempts.count
        for _ in 0..<5 {
            try await client.engine.lifecycle.becameOnline(true)
            try await client.didEnterForeground()
            await client.waitUntilIdle()
        }
        #expect(world.wire.attempts.count == tried)
        try await client.networkReturns()
        await client.waitUntilIdle()
        #expect(world.wire.attempts.count == tried + 1)
        try await client.didEnterBackground()
        await client.waitUntilIdle()
        #expect(world.wire.attempts.count == tried + 1)
        try await client.didEnterForeground()
        await client.waitUntilIdle()
        #expect(world.wire.attempts.count == tried + 2)
        await world.kill()
    }

    @Test(
        "REG-7, EVT-5: a call that left before the network, or the app, came back begins no new wait by its failure",
        arguments: [true, false])
    func underWay(networkReturns: Bool) async throws {
        let world = try World()
        let (client, gate) = try await world.startBehindGate()
        try await client.track("waiting")
        await gate.shut()
        async let flush: Void = client.flush()
        await gate.holdsOne()
        if networkReturns {
            try await client.networkReturns()
        } else {
            try await client.didEnterBackground()
            try await client.didEnterForeground()
        }
        await world.server.script("POST /client/events", .lost)
        await gate.open()
        try await flush
        #expect(await world.server.tracked.map(\.name) == ["waiting"])
        await client.stop()
    }

    @Test("REG-14: a missing response is reported with the error's number, and without what the error quotes")
    func noAnswer() {
        let address = "https://push.example.com/secret"
        let rejected = URLError(.cannotConnectToHost, userInfo: [NSURLErrorFailingURLErrorKey: address])
        let message = ServerResponse(rejected, now: World.epoch).outcome.failure?.message ?? ""
        #expect(message.contains("\(URLError.Code.cannotConnectToHost.rawValue)"))
        #expect(!message.contains("secret"))
        let own = ServerResponse(HTTPTransport.Failure.responseTooLarge, now: World.epoch).outcome.failure?.message
        #expect(own?.contains("responseTooLarge") == true)
    }
}
