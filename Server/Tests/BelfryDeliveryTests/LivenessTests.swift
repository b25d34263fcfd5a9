import NIOCore
import Testing

@testable import BelfryDelivery

@Suite struct LivenessTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private func makeLiveness() -> Liveness {
        Liveness(pingAfterSilence: .seconds(30), pingTimeout: .seconds(10), now: start)
    }

    @Test("PUSH-4: no PING while the peer sends")
    func speaks() {
        var liveness = makeLiveness()
        #expect(liveness.check(at: start) == .wait(until: start + .seconds(30)))
        #expect(liveness.heard(at: start + .seconds(29)) == false)
        #expect(liveness.check(at: start + .seconds(30)) == .wait(until: start + .seconds(59)))
    }

    @Test("PUSH-4: silence causes a PING, a response resets the timer")
    func answers() {
        var liveness = makeLiveness()
        #expect(liveness.check(at: start + .seconds(30)) == .ping(checkAt: start + .seconds(40)))
        #expect(liveness.heard(at: start + .seconds(31)) == true)
        #expect(liveness.check(at: start + .seconds(31)) == .wait(until: start + .seconds(61)))
        #expect(liveness.check(at: start + .seconds(61)) == .ping(checkAt: start + .seconds(71)))
    }

    @Test("PUSH-4: a PING without a response ends the connection")
    func dead() {
        var liveness = makeLiveness()
        #expect(liveness.check(at: start + .seconds(35)) == .ping(checkAt: start + .seconds(45)))
        #expect(liveness.check(at: start + .seconds(44)) == .wait(until: start + .seconds(45)))
        #expect(liveness.check(at: start + .seconds(45)) == .fail)
    }
}
