import Foundation
import Testing

@testable import BelfryServices

struct TakeoverPatienceTests {
    private static let start = ServiceWorld.epoch

    private static func date(_ seconds: TimeInterval) -> Date { start.addingTimeInterval(seconds) }

    @Test("PUSH-5: a worker that has just started takes over what a dead one has left")
    func fresh() {
        #expect(TakeoverPatience().allowsTakeover(at: Self.start))
    }

    @Test("PUSH-5: a worker that looks at its leases in time takes over what a dead one has left")
    func steady() {
        var patience = TakeoverPatience()
        for second in stride(from: 0.0, through: 60, by: LeaseTerm.renewal) {
            patience.look(at: Self.date(second))
            #expect(patience.allowsTakeover(at: Self.date(second + LeaseTerm.renewal)))
        }
    }

    @Test(
        """
        PUSH-5: a worker that stood still takes nothing over at once, whether it looks at its leases first or at what \
        is due; the others get the time of a lease
        """,
        arguments: [true, false]
    )
    func stoodStill(looksFirst: Bool) {
        var patience = TakeoverPatience()
        patience.look(at: Self.start)
        let woken = LeaseTerm.length
        if !looksFirst { #expect(!patience.allowsTakeover(at: Self.date(woken))) }
        patience.look(at: Self.date(woken))
        for second in stride(from: woken, to: woken + LeaseTerm.length, by: LeaseTerm.renewal) {
            patience.look(at: Self.date(second))
            #expect(!patience.allowsTakeover(at: Self.date(second)))
        }
        patience.look(at: Self.date(woken + LeaseTerm.length))
        #expect(patience.allowsTakeover(at: Self.date(woken + LeaseTerm.length)))
    }

    @Test("PUSH-5: on a machine that is slow all the time, what a dead one has left does not wait for ever")
    func slow() {
        var patience = TakeoverPatience()
        var allowed = 0
        for look in 0..<60 {
            patience.look(at: Self.date(Double(look) * 10))
            if patience.allowsTakeover(at: Self.date(Double(look) * 10 + 9.5)) { allowed += 1 }
        }
        #expect(allowed >= 30)
    }

    @Test("PUSH-5: when the database was away, its leases say nothing until everybody could renew them")
    func databaseWasAway() {
        var patience = TakeoverPatience()
        patience.heldUp(at: Self.start)
        patience.heldUp(at: Self.date(1))
        #expect(!patience.allowsTakeover(at: Self.date(LeaseTerm.length)))
        #expect(patience.allowsTakeover(at: Self.date(1 + LeaseTerm.length)))
    }

    @Test(
        """
        FLEET-7, PUSH-5: a worker whose database did not answer for long takes nothing over at once, though it looked \
        at its leases in time
        """
    )
    func waited() {
        var patience = TakeoverPatience()
        for second in stride(from: 0.0, through: 20, by: LeaseTerm.renewal) { patience.look(at: Self.date(second)) }
        patience.waited(since: Self.start, until: Self.date(20))
        #expect(!patience.allowsTakeover(at: Self.date(20)))
        patience.look(at: Self.date(30))
        #expect(!patience.allowsTakeover(at: Self.date(34)))
        #expect(patience.allowsTakeover(at: Self.date(36)))
        // What usually takes a moment may take some.
        var other = TakeoverPatience()
        other.waited(since: Self.start, until: Self.date(LeaseTerm.renewal))
        #expect(other.allowsTakeover(at: Self.date(LeaseTerm.renewal)))
    }

    @Test("PUSH-5: a clock that is set back makes no worker wait longer")
    func setBack() {
        var patience = TakeoverPatience()
        patience.heldUp(at: Self.start)
        #expect(patience.allowsTakeover(at: Self.date(-3_600)))
    }
}
