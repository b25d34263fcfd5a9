import BelfryModel
import BelfryRules
import Foundation
import Testing

struct BadgeRulesTests {
    private func failed(_ status: Int, _ rules: inout BadgeRules, wasOwn: Bool, at time: TimeInterval = 0) {
        let now = deviceEpoch.addingTimeInterval(time)
        let outcome: CallOutcome =
            status == 0 ? .noResponse("lost", at: now) : .response(status: status, code: "code", at: now)
        rules.failed(outcome, wasOwn: wasOwn, now: now, random: 0, policy: .call)
    }

    @Test("BADGE-5: of badges in any order, repeated or late, the greatest revision counts", arguments: 1...20)
    func anyOrder(seed: Int) throws {
        var dice = DeviceDice(seed: UInt64(seed))
        let badges = (1...12).map { Badge(count: Int.random(in: 0...9, using: &dice), revision: Int64($0)) }
        var rules = BadgeRules()
        for badge in (badges + badges).shuffled(using: &dice) {
            rules.received(badge)
            rules = try restarted(rules)
        }
        #expect(rules.badge == badges.last)
        #expect(rules.decide(now: deviceEpoch) == .notNeeded)
    }

    @Test("BADGE-5: pushes in the system's list bring the newest badge once; a server may still count from zero")
    func listed() throws {
        let listed = [
            "b": Badge(count: 2, revision: 16), "c": Badge(count: 3, revision: 17), "a": Badge(count: 1, revision: 15),
        ]
        var rules = BadgeRules()
        rules.received(Badge(count: 2, revision: 16), by: "b")
        rules.received(listed: listed)
        #expect(rules.badge == listed["c"] && rules.isUnshown)
        rules.answered(Badge(count: 5, revision: 4), askedAt: 17)
        rules = try restarted(rules)
        rules.received(listed: listed)
        #expect(rules.badge == Badge(count: 5, revision: 4))
        rules.received(listed: listed.merging(["d": Badge(count: 6, revision: 5)]) { $1 })
        #expect(rules.badge == Badge(count: 6, revision: 5))
        rules.received(listed: [:])
        #expect(rules.badge == Badge(count: 6, revision: 5))
    }

    @Test("BADGE-5: the badge of a push that was read on arrival is not read again from the system's list")
    func cameBefore() throws {
        var rules = BadgeRules()
        rules.received(Badge(count: 2, revision: 17), by: "a")
        rules.answered(Badge(count: 5, revision: 4), askedAt: 17)
        rules = try restarted(rules)
        rules.received(listed: ["a": Badge(count: 2, revision: 17)])
        #expect(rules.badge == Badge(count: 5, revision: 4))
    }

    @Test("BADGE-5: a limited number of pushes is remembered while the system's list is not read")
    func bounded() throws {
        let pushes = (1...3 * BadgeRules.maximumListed).map { ("S-\($0)", Badge(count: $0, revision: Int64($0))) }
        var rules = BadgeRules()
        for (sid, badge) in pushes { rules.received(badge, by: sid) }
        let bytes = try JSONEncoder().encode(rules).count
        #expect(bytes < 20 * BadgeRules.maximumListed)
        rules.answered(Badge(count: 5, revision: 4), askedAt: Int64(pushes.count))
        rules.received(listed: Dictionary(uniqueKeysWithValues: pushes.suffix(BadgeRules.maximumListed)))
        #expect(rules.badge == Badge(count: 5, revision: 4))
    }

    @Test("BADGE-5: after a set without a response the badge is fetched, with growing delays, until there is one")
    func uncertain() throws {
        var rules = BadgeRules()
        rules.received(Badge(count: 2, revision: 4))
        rules.attempted()
        failed(0, &rules, wasOwn: false)
        rules = try restarted(rules)
        #expect(rules.badge.count == 2)
        #expect(rules.decide(now: deviceEpoch) == .wait(until: deviceEpoch + 2, reason: .backingOff))
        #expect(rules.decide(now: deviceEpoch + 2) == .fetch)
        rules.received(Badge(count: 9, revision: 6))
        #expect(rules.decide(now: deviceEpoch + 2) == .fetch)
        rules.answered(Badge(count: 7, revision: 5), askedAt: 4)
        #expect(rules.badge == Badge(count: 9, revision: 6))
        #expect(rules.decide(now: deviceEpoch + 2) == .notNeeded)
    }

    @Test("BADGE-5: the device itself does not repeat a call that the server refuses")
    func rejected() {
        var rules = BadgeRules()
        rules.attempted()
        failed(400, &rules, wasOwn: false)
        #expect(rules.decide(now: deviceEpoch) == .fetch, "an earlier set may be uncertain still")
        failed(404, &rules, wasOwn: true)
        #expect(rules.decide(now: deviceEpoch) == .notNeeded)
    }

    @Test("ID-4, BADGE-5: the badge of a person who leaves is 0 at once, and the server is told")
    func left() throws {
        var rules = BadgeRules()
        rules.personLeft(isTakenBack: false)
        #expect(rules.decide(now: deviceEpoch) == .notNeeded)
        rules.received(Badge(count: 3, revision: 3))
        let before = rules.generation
        rules.personLeft(isTakenBack: false)
        rules = try restarted(rules)
        #expect(rules.badge == Badge(count: 0, revision: 3) && rules.generation != before)
        #expect(rules.decide(now: deviceEpoch) == .reset)
        rules.attempted()
        rules.answered(Badge(count: 0, revision: 4), askedAt: 3)
        rules.resetSent(generation: before)
        #expect(rules.decide(now: deviceEpoch) == .reset)
        rules.resetSent(generation: rules.generation)
        #expect(rules.decide(now: deviceEpoch) == .notNeeded)
    }

    @Test("ID-4, BADGE-5: a badge that the server resets itself is fetched, and reset only if the server did not")
    func takenBack() throws {
        var rules = BadgeRules()
        rules.received(Badge(count: 3, revision: 3))
        rules.personLeft(isTakenBack: true)
        rules = try restarted(rules)
        #expect(rules.badge.count == 0)
        #expect(rules.decide(now: deviceEpoch) == .fetch)
        var kept = rules
        rules.answered(Badge(count: 1, revision: 5), askedAt: 3)
        #expect(rules.badge == Badge(count: 1, revision: 5))
        #expect(rules.decide(now: deviceEpoch) == .notNeeded)
        kept.answered(Badge(count: 3, revision: 3), askedAt: 3)
        #expect(kept.badge.count == 0)
        #expect(kept.decide(now: deviceEpoch) == .reset)
    }

    @Test("BADGE-5: a server that was restored from a backup has lower revisions, which are accepted")
    func restored() {
        var rules = BadgeRules()
        rules.received(Badge(count: 3, revision: 30))
        rules.answered(Badge(count: 7, revision: 21), askedAt: 30)
        #expect(rules.badge == Badge(count: 7, revision: 21))
    }

    @Test("BADGE-5, ID-6: a newer badge from a push stays, although the server has lost the device")
    func pushDuringCall() {
        var rules = BadgeRules()
        rules.received(Badge(count: 3, revision: 30))
        rules.forgotten()
        rules.received(Badge(count: 5, revision: 32))
        rules.answered(Badge(count: 4, revision: 31), askedAt: 30)
        #expect(rules.badge == Badge(count: 5, revision: 32))
    }

    @Test("BADGE-5, ID-6: a server that lost the device may count its revisions from zero")
    func forgotten() {
        var rules = BadgeRules()
        rules.forgotten()
        #expect(rules == BadgeRules(), "nothing is asked as long as there never was a badge")
        rules.received(Badge(count: 3, revision: 30))
        rules.forgotten()
        #expect(rules.decide(now: deviceEpoch) == .fetch)
        rules.answered(Badge(count: 1, revision: 2), askedAt: 30)
        #expect(rules.badge == Badge(count: 1, revision: 2))
    }
}
