import NIOCore
import Testing

@testable import BelfryDelivery

@Suite("Whether a push service responds at all")
struct RouteHealthTests {
    private static func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    private func mayBegin(_ health: inout RouteHealth, at second: Int64) -> Bool {
        health.mayBegin(at: Self.time(second))
    }

    @Test("SEC-5: without a response one send at a time probes it, after 1 s and then with doubled waits, up to 30")
    func pauses() {
        var health = RouteHealth()
        var now: Int64 = 1
        health.failed(begunAt: Self.time(now), now: Self.time(now))
        for pause: Int64 in [1, 2, 4, 8, 16, 30, 30, 30] {
            #expect(!mayBegin(&health, at: now + pause - 1))
            now += pause
            #expect(mayBegin(&health, at: now))
            #expect(!mayBegin(&health, at: now + 1_000), "one finds out already")
            health.failed(begunAt: Self.time(now), now: Self.time(now))
        }
    }

    @Test("SEC-5: parallel sends fail as one, and one response clears a service")
    func sideBySide() {
        var health = RouteHealth()
        for second: Int64 in 10...13 { health.failed(begunAt: Self.time(1), now: Self.time(second)) }
        #expect([10, 11].map { mayBegin(&health, at: $0) } == [false, true])
        // A late one of the first does not let another find out beside the one that does.
        health.failed(begunAt: Self.time(1), now: Self.time(12))
        #expect(!mayBegin(&health, at: 100))
        health.answered(at: Self.time(13))
        #expect([13, 13].map { mayBegin(&health, at: $0) } == [true, true])
    }

    @Test("SEC-5: a send that began before another got a response says nothing about the service")
    func answeredSince() {
        var health = RouteHealth()
        health.answered(at: Self.time(5))
        health.failed(begunAt: Self.time(0), now: Self.time(30))
        #expect([30, 30].map { mayBegin(&health, at: $0) } == [true, true])
        health.failed(begunAt: Self.time(6), now: Self.time(36))
        #expect(!mayBegin(&health, at: 36))
    }
}
