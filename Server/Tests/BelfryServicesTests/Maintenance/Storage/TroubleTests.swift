@testable import BelfryServices
import BelfryStore
import Foundation
import Testing

struct TroubleTests {
    private let full = StoreError.full(reason: "disk")

    private func at(_ second: TimeInterval) -> Date { ServiceWorld.epoch.addingTimeInterval(second) }

    @Test("SEC-9: a run of failures begins once and ends once, when nothing has failed for a while")
    func once() {
        var trouble = Trouble()
        let begun = (0..<100).map { trouble.fail(full, now: at(Double($0))) }
        #expect(begun.filter { $0 }.count == 1 && begun[0])
        #expect(trouble.end(now: at(1_000)) == nil, "it still fails")
        trouble.succeed()
        #expect(trouble.end(now: at(99 + Trouble.calm - 1)) == nil)
        // A success between failures does not end the trouble.
        let beginsAnew = trouble.fail(full, now: at(103))
        #expect(!beginsAnew)
        trouble.succeed()
        #expect(trouble.end(now: at(103 + Trouble.calm)) == Trouble.Summary(failures: 101, seconds: 103))
        #expect(trouble.end(now: at(2_000)) == nil)
        let isAnother = trouble.fail(full, now: at(3_000))
        #expect(isAnother)
    }

    @Test("REL-6: a clock that is set back a day does not prolong a run of failures")
    func clockSetBack() {
        var trouble = Trouble()
        _ = trouble.fail(full, now: at(0))
        trouble.succeed()
        #expect(trouble.end(now: at(-86_400)) == Trouble.Summary(failures: 1, seconds: 0))
    }
}
