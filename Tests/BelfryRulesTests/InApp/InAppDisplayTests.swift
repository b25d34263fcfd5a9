import BelfryModel
import BelfryRules
import Foundation
import Testing

/// From the decision to the screen, and everything that may come between.
struct InAppDisplayTests {
    private func limited() -> InAppDevice {
        InAppDevice([message("a")])
    }

    @Test("IAM-8: a message counts when it is really on the screen, and not before")
    func steps() throws {
        var device = limited()
        #expect(device.happens("buy") == ["load a"])
        let ticket = try #require(device.rules.underWay)
        let early = device.step { rules, now, _, _ in rules.shown(ticket, at: now) }
        #expect(!early, "nothing was presented")
        #expect(device.mayPresent() == ["present a"])
        #expect(device.rules.onScreen == nil)
        #expect(device.rules.impressions.displays(of: message("a")) == 0)
        let isShown = device.step { rules, now, _, _ in rules.shown(ticket, at: now) }
        let again = device.step { rules, now, _, _ in rules.shown(ticket, at: now) }
        #expect(isShown && !again && device.rules.onScreen == ticket)
        #expect(device.rules.impressions.displays(of: message("a")) == 1)
        device.now += 7.5
        #expect(device.closes() == 7.5 && device.closes() == nil)
        #expect(device.passes(60) == [] && device.happens("buy") == ["a not: exhausted"])
        #expect(device.rules.spent(at: device.now, in: device.situation).map(\.id) == ["a"])
    }

    @Test("IAM-7: display is paused between the decision and the screen: the message waits for the end of the pause")
    func suppressed() throws {
        var device = limited()
        #expect(device.happens("buy") == ["load a"])
        let ticket = try #require(device.rules.underWay)
        device.situation.isPaused = true
        #expect(device.mayPresent(ticket) == ["a waits: paused"])
        #expect(device.passes(3_600) == [] && device.mayPresent(ticket) == [])
        #expect(device.happens("buy") == [])
        device.situation.isPaused = false
        #expect(device.passes(0) == ["load a"] && device.shows())
    }

    @Test("IAM-7: messages triggered during a pause wait for its end, only the first of an occasion")
    func paused() {
        var device = InAppDevice([
            message("a"), message("b", campaign: 2) { $0.priority = 1 }, message("c", campaign: 3, on: "look"),
        ])
        device.situation.isPaused = true
        #expect(device.happens("buy") == ["b waits: paused", "a not: outranked"])
        #expect(device.happens("look") == ["c not: outranked"], "what waits comes first")
        device.situation.isPaused = false
        #expect(device.passes(0) == ["load b"])
    }

    @Test("IAM-7: the app goes to the background while a page loads: the message waits for the foreground")
    func background() {
        var device = limited()
        _ = device.happens("buy")
        device.situation.isForeground = false
        #expect(device.mayPresent() == ["a waits: notForeground"])
        #expect(device.isKilled() == [] && device.passes(86_400) == [])
        device.situation.isForeground = true
        #expect(device.passes(1) == ["load a"])
        _ = device.mayPresent()
        device.situation.isForeground = false
        let ticket = device.rules.underWay
        let failed = device.step { rules, now, situation, _ in
            texts(ticket.flatMap { rules.screenMissing($0, at: now, in: situation) }.map { [$0] } ?? [])
        }
        #expect(failed == ["a waits: notForeground"])
    }

    @Test("IAM-7: a veto is for this occasion; a deferred message comes again with the foreground, or on request")
    func veto() throws {
        var device = limited()
        _ = device.happens("buy")
        let vetoed = try #require(device.rules.underWay)
        #expect(texts(device.step { rules, _, _, _ in rules.vetoed(vetoed).map { [$0] } ?? [] }) == ["a not: vetoed"])
        #expect(device.passes(100) == [] && device.mayPresent(vetoed) == [])
        #expect(device.happens("buy") == ["load a"])
        let deferred = try #require(device.rules.underWay)
        let words = texts(device.step { rules, _, _, _ in rules.deferred(deferred).map { [$0] } ?? [] })
        #expect(words == ["a waits: deferred"])
        #expect(device.isKilled() == [] && device.passes(100) == [])
        var asked = device
        #expect(asked.asks(for: "a") == ["load a"] && asked.shows())
        #expect(asked.closes() == 0 && asked.passes(100) == [])
        var other = device
        #expect(other.happens("buy") == ["load a"])
        var session = device
        #expect(session.beginsSession() == ["load a"])
        device.step { rules, _, _, _ in rules.endDeferrals() }
        #expect(device.passes(0) == ["load a"])
    }

    @Test("IAM-7: one requested by its id needs no trigger, delay, gap or cap, and is refused with a reason")
    func asked() {
        var device = InAppDevice([
            message("a") { ($0.delay, $0.trigger) = (600, InAppTrigger(event: "buy", occurrence: 9)) },
            message("b", campaign: 2),
            message("in", campaign: 3) { ($0.type, $0.trigger, $0.viewID) = (.inline, nil, "top") },
            message("later", campaign: 4) { $0.startsAt = deviceEpoch + 1_000 },
        ])
        device.policy = InAppPolicy(maximumPerSession: 1, maximumPerDay: 1)
        #expect(device.sees("buy").contains("load b"))
        #expect(device.asks(for: "in") == ["in not: inline"] && device.asks(for: "later") == ["later not: notStarted"])
        device.situation.isPaused = true
        #expect(device.asks(for: "a") == ["a not: paused"])
        device.situation.isPaused = false
        #expect(device.asks(for: "a") == ["load a"] && device.asks(for: "a") == ["a not: onScreen"])
        #expect(device.rules.underWay?.isAsked == true)
        #expect(device.isKilled() == [] && device.passes(10) == [], "the caller is gone")
        #expect(device.asks(for: "a") == ["load a"] && device.shows())
        #expect(device.closes() == 0 && device.asks(for: "a") == ["a not: exhausted"])
    }

    @Test("IAM-8: a force-quit at each step loses nothing, and shows nothing beyond its limit")
    func killed() throws {
        // Before the page is loaded: it is triggered still.
        var device = limited()
        _ = device.happens("buy")
        #expect(device.isKilled() == [] && device.passes(5) == ["load a"])
        // Between the call of the screen and its result nobody knows whether it is shown; it counts.
        #expect(device.mayPresent() == ["present a"])
        #expect(device.isKilled() == ["assumed a"] && device.rules.underWay == nil)
        #expect(device.passes(60) == [] && device.happens("buy") == ["a not: exhausted"])
        // On the screen, and after it was closed.
        for closes in [false, true] {
            var device = InAppDevice([message("a") { $0.displayLimit = 2 }])
            #expect(device.happens("buy") == ["load a"] && device.shows())
            device.now += 20
            if closes { #expect(device.closes() == 20) }
            #expect(device.isKilled() == [] && device.rules.underWay == nil)
            device.now += 10
            #expect(device.happens("buy") == (closes ? ["a not: anotherShown"] : ["load a"]))
        }
    }

    @Test("IAM-8: a page that cannot be loaded, or takes too long, costs the occasion and not the display")
    func loadFailed() throws {
        var device = limited()
        _ = device.happens("buy")
        let first = try #require(device.rules.underWay)
        let words = texts(
            device.step { rules, _, situation, _ in rules.loadFailed(first, in: situation).map { [$0] } ?? [] })
        #expect(words == ["a not: loadFailed"])
        #expect(device.happens("buy") == ["load a"])
        let second = try #require(device.rules.underWay)
        #expect(device.rules.nextDue(after: device.now, in: device.situation, policy: device.policy) == device.now + 60)
        #expect(device.passes(59) == [] && device.passes(1) == ["drop a: loadFailed", "a not: loadFailed"])
        #expect(device.mayPresent(second) == [])
        #expect(device.happens("buy") == ["load a"] && device.mayPresent() == ["present a"])
        let third = try #require(device.rules.underWay)
        let failed = device.step { rules, now, situation, _ in rules.screenMissing(third, at: now, in: situation) }
        #expect(texts(failed.map { [$0] } ?? []) == ["a waits: noScreen"])
        #expect(device.passes(1) == [] && device.passes(1) == ["load a"] && device.shows())
    }

    @Test("IAM-8: without a screen a message is tried with growing delays, a limited number of times")
    func screenMissing() throws {
        var device = limited()
        _ = device.happens("buy")
        for attempt in 1...10 {
            let ticket = try #require(device.rules.underWay, "attempt \(attempt)")
            let decision = device.step { rules, now, situation, _ in
                rules.screenMissing(ticket, at: now, in: situation)
            }
            #expect(texts(decision.map { [$0] } ?? []) == ["a waits: noScreen"])
            let pause = min(TimeInterval(1 << attempt), 60)
            #expect(
                device.rules.nextDue(after: device.now, in: device.situation, policy: device.policy) == device.now
                    + pause)
            #expect(device.passes(pause - 1) == [] && device.passes(1) == ["load a"])
        }
        let last = try #require(device.rules.underWay)
        let decision = device.step { rules, now, situation, _ in rules.screenMissing(last, at: now, in: situation) }
        #expect(texts(decision.map { [$0] } ?? []) == ["a not: noScreen"])
        #expect(device.passes(86_400) == [] && device.happens("buy") == ["load a"])
    }

    @Test("IAM-8: a page that reports nothing while it is put on the screen counts, and is removed")
    func presentingForEver() {
        var device = limited()
        _ = device.happens("buy")
        #expect(device.mayPresent() == ["present a"] && device.passes(29) == [])
        #expect(device.rules.nextDue(after: device.now, in: device.situation, policy: device.policy) == device.now + 1)
        #expect(device.passes(1) == ["assumed a", "close a: displayFailed"] && device.rules.underWay == nil)
        #expect(device.passes(60) == [] && device.happens("buy") == ["a not: exhausted"])
    }

    @Test("IAM-7: a page that cannot be loaded because the app is in the background waits for the foreground")
    func loadFailedAway() throws {
        var device = limited()
        _ = device.happens("buy")
        let ticket = try #require(device.rules.underWay)
        device.situation.isForeground = false
        let decision = device.step { rules, _, situation, _ in rules.loadFailed(ticket, in: situation) }
        #expect(texts(decision.map { [$0] } ?? []) == ["a waits: notForeground"])
        device.situation.isForeground = true
        #expect(device.passes(1) == ["load a"])
    }

    @Test("IAM-12: the next start of an inline message is by the server's clock")
    func inlineStart() {
        let start = Date(timeIntervalSince1970: 1_000_000)
        var device = InAppDevice([
            message("a") { ($0.type, $0.trigger, $0.viewID, $0.startsAt) = (.inline, nil, "top", start + 90) },
            message("b") { ($0.type, $0.trigger, $0.viewID, $0.startsAt) = (.inline, nil, "top", start + 60) },
            message("c") { $0.startsAt = start + 30 },
        ])
        device.situation.clockOffset = 50
        let rules = device.rules
        let dates = [0, 9, 10, 40].map { rules.nextInlineStart(after: start + $0, in: device.situation) }
        #expect(dates == [start + 10, start + 10, start + 40, nil])
        let began = [(nil, 59), (nil, 60), (59, 60), (60, 89), (60, 91)].map { (former: Double?, now: Double) in
            rules.inlineBegan(after: former.map { start + $0 }, by: start + now, in: device.situation)
        }
        #expect(began == [false, true, true, false, true])
    }

    @Test("IAM-12: an inline message is for its view, counts once in a session, and ends when the person closes it")
    func inline() {
        var device = InAppDevice([
            message("a") { ($0.type, $0.trigger, $0.viewID, $0.displayLimit) = (.inline, nil, "Home-Top", 2) },
            message("b") { ($0.type, $0.trigger, $0.viewID, $0.priority) = (.inline, nil, "home-top", 5_000) },
        ])
        func first(_ device: InAppDevice) -> String? {
            device.rules.inline(viewID: "HOME-top", at: device.now, in: device.situation)?.id
        }
        let candidate = device.situation.candidates[0]
        for _ in 1...2 {
            #expect(
                first(device) == "a" && device.rules.inline(viewID: "x", at: device.now, in: device.situation) == nil)
            let counts = (1...3).map { _ in device.step { rules, now, _, _ in rules.inlineShown(candidate, at: now) } }
            #expect(counts == [true, false, false] && first(device) == "a")
            _ = device.beginsSession()
        }
        #expect(first(device) == "b")
        device.step { rules, _, _, _ in rules.inlineClosed("b") }
        #expect(first(device) == nil)
        _ = device.beginsSession()
        #expect(first(device) == "b")
    }

    @Test("IAM-8: a reason is reported as new once in a session for each message")
    func firsts() {
        var device = InAppDevice([message("a"), message("b", campaign: 2) { $0.displayCount = 1 }])
        device.situation.hasPresenter = false
        func firsts(_ device: inout InAppDevice) -> [Bool] {
            let events = [TriggerEvent(name: "buy")]
            return device.step { $0.happened(events, at: $1, in: $2, policy: $3) }.compactMap {
                guard case .notShown(let finding) = $0 else { return nil }
                return finding.isFirst
            }
        }
        #expect(firsts(&device) == [true, true])
        #expect(firsts(&device) == [false, false])
        _ = device.beginsSession()
        #expect(firsts(&device) == [true, true])
    }
}
