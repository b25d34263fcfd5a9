import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

/// Invariants that hold for any events, in any order, and wherever the process dies.
struct InAppLifeTests {
    @Test(
        "IAM-6, IAM-8, IAM-11: never two on the screen, none beyond limit, gap or cap, none paused or another person's",
        arguments: Endurance.seeds(150, brief: 30)
    )
    func lives(seed: UInt64) {
        var life = InAppLife(seed: seed)
        life.run(steps: 150)
    }

    @Test("IAM-8: these simulated lives do show messages")
    func displays() {
        let displays = (UInt64(1)...20).map { seed in
            var life = InAppLife(seed: seed)
            life.run(steps: 150)
            return life.displays
        }
        #expect(displays.reduce(0, +) > 50, "\(displays)")
    }

    @Test("IAM-8: a triggered message is shown in the end, wherever the process died before", arguments: 0...3)
    func neverLost(deaths: Int) {
        var device = InAppDevice([message("a") { $0.delay = 10 }])
        #expect(device.happens("buy") == ["a waits: delayed"])
        for death in 0..<deaths {
            if death > 0 { #expect(device.passes(10) == ["load a"]) }
            #expect(device.isKilled() == [])
        }
        #expect(device.passes(10) == ["load a"] && device.shows())
        #expect(device.closes() == 0 && device.passes(100) == [])
        #expect(device.happens("buy") == ["a not: exhausted"])
    }
}
