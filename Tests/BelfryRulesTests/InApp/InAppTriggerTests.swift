import BelfryModel
import BelfryRules
import Foundation
import Testing

/// What an event triggers, with a manual clock.
struct InAppTriggerTests {
    private let ios = TriggerDevice(properties: SystemProperties(platform: "ios", appVersion: "2.1"), isOptedIn: true)

    private func matches(
        _ filter: Condition?, _ attributes: [String: AttributeValue] = [:], name: String = "buy"
    ) -> Bool {
        InAppTrigger(event: "buy", filter: filter)
            .matches(TriggerEvent(name: name, attributes: attributes), on: ios)
    }

    @Test("IAM-5: a trigger matches an event by its name, its attributes and the device, with the grammar of audiences")
    func matching() {
        let attributes: [String: AttributeValue] = ["price": 12, "sku": "A-1"]
        let holding: [Condition?] = [
            nil, .everyone, .attribute("price", .greater(10)), .attribute("sku", .startsWith("A")),
            .device(.appVersion, .equal("2.1")), .device(.platform, .isIn(["ios", "web"])),
            .deviceFact(.pushOptIn, .equal(true)), .not(.attribute("colour", .exists(true))),
            .all([.attribute("price", .less("13")), .device(.platform, .equal("ios"))]),
            .any([.attribute("price", .less(1)), .deviceFact(.pushOptIn, .equal(true))]),
        ]
        for filter in holding { #expect(matches(filter, attributes), "\(String(describing: filter))") }
        let failing: [Condition] = [
            .not(.everyone), .attribute("price", .greater(12)), .device(.appVersion, .equal("2.2")),
            .device(.locale, .exists(true)), .deviceFact(.pushOptIn, .equal(false)), .any([]),
            .all([.everyone, .attribute("price", .exists(false))]), .tag("a"), .known(true), .contactKeys(["anna"]),
            .deviceFact(.lastOpenedAt, .exists(true)), .event(EventClause(name: "buy")),
        ]
        for filter in failing { #expect(!matches(filter, attributes), "\(filter)") }
        #expect(!matches(nil, name: "Buy") && !matches(nil, name: "bu"))
        #expect(InAppTrigger(event: " buy ").matches(TriggerEvent(name: "buy"), on: ios))
        let names = [message("a", on: " buy "), message("b", on: "screen"), message("c") { $0.trigger = nil }]
        #expect(names.triggerNames == ["buy", "screen"])
    }

    @Test("IAM-5: screens, sessions, custom and internal events trigger alike; no other event does")
    func kinds() {
        for name in ["screen", "session:start", "push:click", "buy"] {
            var device = InAppDevice([message("a", on: name)])
            #expect(device.happens("other") == [])
            #expect(device.happens(name) == ["load a"])
        }
    }

    @Test("IAM-5: the n-th matching event triggers, each later one until it is shown; then the count restarts")
    func occurrences() {
        var device = InAppDevice([
            message("a") { ($0.trigger, $0.displayLimit) = (InAppTrigger(event: "buy", occurrence: 3), 5) }
        ])
        device.policy.minimumGap = 0
        #expect(device.happens("buy") == ["a not: occurrence"])
        #expect(device.happens("buy", "other") == ["a not: occurrence"])
        device.situation.hasPresenter = false
        #expect(device.happens("buy") == ["a not: noPresenter"])
        device.situation.hasPresenter = true
        #expect(device.sees("buy") == ["load a"], "the fourth, since the third brought nothing")
        #expect(device.happens("buy", "buy") == ["a not: occurrence"])
        #expect(device.happens("buy") == ["load a"])
        let reason = InAppReason.occurrence(2, of: 3)
        #expect(reason.description == "the event has happened 2 of 3 times")
    }

    @Test("IAM-1, IAM-5: before its start and after its end nothing shows it, by the server's clock")
    func bounds() {
        var device = InAppDevice([
            message("a") { ($0.startsAt, $0.endsAt) = (deviceEpoch + 100, deviceEpoch + 200) }
        ])
        device.situation.clockOffset = 50
        #expect(device.happens("buy") == ["a not: notStarted"])
        #expect(device.passes(49) == [] && device.happens("buy") == ["a not: notStarted"])
        #expect(device.passes(1) == [] && device.happens("buy") == ["load a"])
        #expect(device.passes(100) == ["drop a: loadFailed", "a not: loadFailed"])
        #expect(device.happens("buy") == ["a not: expired"])
        let spent = device.rules.spent(at: device.now, in: device.situation)
        #expect(spent.map(\.id) == ["a"] && spent.first?.reason == .expired)
    }

    @Test("IAM-1: a delay is waited for, over restarts too, and a clock that was set back does not make it longer")
    func delay() {
        var device = InAppDevice([message("a") { $0.delay = 600 }])
        #expect(device.happens("buy") == ["a waits: delayed"])
        #expect(
            device.rules.nextDue(after: device.now, in: device.situation, policy: device.policy) == deviceEpoch + 600)
        #expect(device.passes(300) == [] && device.happens("buy") == [], "a second event does not begin it again")
        #expect(device.isKilled() == [])
        #expect(device.passes(299) == [])
        #expect(device.passes(1) == ["load a"])

        var back = InAppDevice([message("a") { $0.delay = 600 }])
        _ = back.happens("buy")
        #expect(back.passes(-1_000_000) == [])
        #expect(back.passes(599) == [] && back.passes(1) == ["load a"])
    }

    @Test("IAM-1, IAM-6: a message after its delay waits for the screen, the gap and the foreground, and is not lost")
    func delayedWaits() {
        var device = InAppDevice([message("a"), message("b", campaign: 2) { $0.delay = 5 }])
        #expect(device.happens("buy") == ["b waits: delayed", "load a"])
        #expect(device.shows() == true)
        #expect(device.passes(5) == ["b waits: onScreen"] && device.passes(5) == [])
        #expect(device.closes() == 10)
        #expect(device.passes(0) == ["b waits: anotherShown"])
        #expect(device.rules.nextDue(after: device.now, in: device.situation, policy: device.policy) == device.now + 30)
        device.situation.isForeground = false
        #expect(device.passes(30) == ["b waits: notForeground"])
        #expect(device.rules.nextDue(after: device.now, in: device.situation, policy: device.policy) == nil)
        device.situation.isForeground = true
        #expect(device.passes(1_000) == ["load b"])
    }

    @Test("IAM-3: a message that the session's own fetch brings is triggered by the session's start, within a minute")
    func sessionStart() {
        for (late, decisions) in [(59.0, ["load b"]), (61, [])] {
            var device = InAppDevice([message("a", on: "session:start") { $0.displayLimit = 9 }])
            #expect(device.messagesChange() == [])
            #expect(device.beginsSession() == ["load a"])
            #expect(device.shows() && device.closes() == 0)
            device.policy.minimumGap = 0
            device.now += late
            device.situation.candidates.append(message("b", campaign: 2, on: "session:start"))
            #expect(device.messagesChange() == decisions, "\(late): and what was there already is not triggered again")
        }
    }
}
