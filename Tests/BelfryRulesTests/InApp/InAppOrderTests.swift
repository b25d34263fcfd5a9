import BelfryModel
import BelfryRules
import BelfryTestSupport
import Foundation
import Testing

/// Which message is shown, and what prevents the others.
struct InAppOrderTests {
    @Test("IAM-6: of several that match the lowest priority number wins, then the newest; the others report why not")
    func order() {
        var device = InAppDevice([
            message("old", campaign: 9) { $0.priority = 5 }, message("new", campaign: 10) { $0.priority = 5 },
            message("late", campaign: 11) { $0.priority = 6 },
        ])
        #expect(device.happens("buy") == ["load new", "old not: outranked", "late not: outranked"])
        #expect(InAppReason.outranked(by: "10").description == "the message of campaign 10 comes first")
    }

    @Test(
        "IAM-6: the first in order of the messages that may be shown is loaded",
        arguments: Endurance.seeds(100, brief: 25))
    func orderProperty(seed: UInt64) {
        var dice = SeededGenerator(seed: seed)
        let candidates = (1...8).map { number in
            message("m\(number)", campaign: number, on: Bool.random(using: &dice) ? "buy" : "look") {
                $0.priority = Int.random(in: 1...3, using: &dice)
                $0.displayCount = Int.random(in: 0...1, using: &dice)
                $0.endsAt = Bool.random(using: &dice) ? deviceEpoch - 1 : nil
                $0.trigger?.occurrence = Int.random(in: 1...2, using: &dice)
            }
        }
        var device = InAppDevice(candidates.shuffled(using: &dice))
        let first = candidates.reversed().filter {
            $0.trigger == InAppTrigger(event: "buy", occurrence: 1) && $0.displayCount == 0 && $0.endsAt == nil
        }.min { $0.priority < $1.priority }
        let loads = device.happens("buy").filter { $0.hasPrefix("load") }
        #expect(loads == (first.map { ["load \($0.id)"] } ?? []), "seed \(seed)")
    }

    @Test("IAM-6: two triggers in one turn of the loop show one message, the first by priority")
    func oneTurn() {
        let both = [message("a", on: "buy"), message("b", campaign: 2, on: "look") { $0.priority = 1 }]
        var together = InAppDevice(both)
        #expect(together.happens("buy", "look") == ["load b", "a not: outranked"])
        var apart = InAppDevice(both)
        #expect(apart.happens("buy") == ["load a"])
        #expect(apart.happens("look") == ["b not: onScreen"], "the first is on its way")
        #expect(apart.shows() == true)
        #expect(apart.happens("look") == ["b not: onScreen"])
        #expect(apart.rules.onScreen?.messageID == "a")
    }

    @Test("IAM-6: half a minute is between two messages, counted from when the first left the screen")
    func gap() {
        var device = InAppDevice([message("a") { $0.displayLimit = 9 }])
        #expect(device.happens("buy") == ["load a"] && device.shows())
        device.now += 100
        #expect(device.closes() == 100)
        device.now += 12.7
        let decisions = device.step { $0.happened([TriggerEvent(name: "buy")], at: $1, in: $2, policy: $3) }
        guard case .notShown(let finding) = decisions.first else {
            Issue.record("\(decisions)")
            return
        }
        #expect(finding.reason == .anotherShown(secondsAgo: 12) && finding.isFirst && !finding.waits)
        #expect(finding.reason.description == "another message was shown 12 s ago")
        device.now += 17
        #expect(device.happens("buy") == ["a not: anotherShown"])
        #expect(device.passes(1) == [], "that occasion is over")
        #expect(device.happens("buy") == ["load a"])
    }

    @Test("IAM-6: after a clock was set back, the gap is never longer than its length")
    func gapSetBack() {
        for back: TimeInterval in [1, 60, 86_400, 1_000_000_000] {
            var device = InAppDevice([message("a") { $0.displayLimit = 9 }])
            #expect(device.sees("buy") == ["load a"])
            device.now -= back
            #expect(device.happens("buy") == ["a not: anotherShown"])
            device.now += 29
            #expect(device.happens("buy") == ["a not: anotherShown"])
            device.now += 1
            #expect(device.happens("buy") == ["load a"], "\(back)")
        }
    }

    @Test("IAM-6, IAM-8: a display at time zero is a display like any other")
    func timeZero() {
        for start in [0.0, 1] {
            var device = InAppDevice([message("a") { $0.displayLimit = 2 }, message("b", on: "look")])
            device.policy.maximumPerDay = 2
            device.now = Date(timeIntervalSince1970: start)
            #expect(device.happens("buy") == ["load a"] && device.shows())
            #expect(device.closes() == 0)
            #expect(device.happens("look") == ["b not: anotherShown"])
            device.now += 30
            #expect(device.sees("buy") == ["load a"])
            #expect(device.passes(30) == [] && device.happens("buy") == ["a not: exhausted"])
            #expect(device.happens("look") == ["b not: dayCap"])
        }
    }

    @Test("IAM-6: the caps of session and day apply, and begin again with the next one")
    func caps() {
        let candidates = (1...5).map { number in message("m\(number)", campaign: number) { $0.displayLimit = 9 } }
        var device = InAppDevice(
            candidates, policy: InAppPolicy(minimumGap: 0, maximumPerSession: 2, maximumPerDay: 3)
        )
        func loads(_ decisions: [String]) -> Bool { decisions.contains { $0.hasPrefix("load") } }
        #expect(loads(device.sees("buy")) && loads(device.sees("buy")))
        #expect(device.happens("buy") == (1...5).reversed().map { "m\($0) not: sessionCap" })
        _ = device.beginsSession()
        #expect(loads(device.sees("buy")))
        #expect(device.happens("buy") == (1...5).reversed().map { "m\($0) not: dayCap" })
        device.now += 86_399
        #expect(!loads(device.happens("buy")))
        device.now += 1
        #expect(loads(device.sees("buy")), "the next day has begun; the session continues")
        #expect(!loads(device.happens("buy")))
    }

    @Test("IAM-6: the day is that of the device's zone, also when it travels")
    func zones() throws {
        let tokyo = try #require(TimeZone(identifier: "Asia/Tokyo"))
        let honolulu = try #require(TimeZone(identifier: "Pacific/Honolulu"))
        var device = InAppDevice([message("a") { $0.displayLimit = 99 }])
        device.policy = InAppPolicy(minimumGap: 0, maximumPerDay: 1)
        // 23:00 in Tokyo on 5 January.
        device.now = deviceEpoch + 14 * 3_600
        device.situation.zone = tokyo
        #expect(device.sees("buy") == ["load a"])
        device.now += 3_599
        #expect(device.happens("buy") == ["a not: dayCap"])
        device.now += 1
        // Midnight in Tokyo; in Honolulu the 5th has just begun to be 5 in the morning, and had its message.
        device.situation.zone = honolulu
        #expect(device.happens("buy") == ["a not: dayCap"])
        device.situation.zone = tokyo
        #expect(device.sees("buy") == ["load a"])
    }

    @Test("IAM-6: caps and gap do not apply to messages without a screen, and of two such only the first runs")
    func actions() {
        var device = InAppDevice([
            message("a"), message("x", campaign: 2) { $0.type = .action },
            message("y", campaign: 3) { ($0.type, $0.priority) = (.action, 1) },
        ])
        device.policy.maximumPerSession = 1
        #expect(device.happens("buy") == ["run y", "x not: outranked", "load a"])
        #expect(device.happens("buy") == ["y not: exhausted", "run x"])
        #expect(device.shows() == true)
        device.situation.isPaused = true
        device.situation.candidates.append(message("z", campaign: 4, on: "look") { $0.type = .action })
        #expect(device.happens("look") == ["z waits: paused"])
        device.situation.isPaused = false
        #expect(device.passes(0) == ["run z"])
    }
}
