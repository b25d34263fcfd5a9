import Foundation
import Testing

@testable import Belfry

/// What ends a wait before its time.
struct WaitTests {
    @Test("REG-6, REG-7: only a network that was gone ends a wait, and only an app that was away, when it is shown")
    func endsOfWaits() async throws {
        let world = try World()
        let client = try await world.start()
        await client.settled()
        await world.server.set(isOffline: true)
        try await client.track("waiting")
        try await client.flush()
        let tried = world.wire.attempts.count
        for _ in 0..<5 {
            try await client.engine.lifecycle.becameOnline(true)
            try await client.didEnterForeground()
            await client.settled()
        }
        #expect(world.wire.attempts.count == tried)
        try await client.networkReturns()
        await client.settled()
        #expect(world.wire.attempts.count == tried + 1)
        try await client.didEnterBackground()
        await client.settled()
        #expect(world.wire.attempts.count == tried + 1)
        try await client.didEnterForeground()
        await client.settled()
        #expect(world.wire.attempts.count == tried + 2)
        await world.kill()
    }

    @Test("REG-14: that no answer came is told with the reason's number, and with nothing that the error quotes")
    func noAnswer() {
        let address = "https://push.example.com/secret"
        let refused = URLError(.cannotConnectToHost, userInfo: [NSURLErrorFailingURLErrorKey: address])
        let told = DeviceAnswer(refused, now: World.epoch).outcome.failure?.message ?? ""
        #expect(told.contains("\(URLError.Code.cannotConnectToHost.rawValue)"))
        #expect(!told.contains("secret"))
        let own = DeviceAnswer(URLSessionTransport.Failure.answerTooLarge, now: World.epoch).outcome.failure?.message
        #expect(own?.contains("answerTooLarge") == true)
    }
}
