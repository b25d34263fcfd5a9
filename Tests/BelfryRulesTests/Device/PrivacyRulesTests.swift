import BelfryRules
import Testing

struct PrivacyRulesTests {
    @Test("REG-36: events are taken unless the person said no or the device rests")
    func events() throws {
        var rules = PrivacyRules()
        #expect(rules.takesEvents)
        rules.setTracking(false)
        #expect(!rules.takesEvents)
        #expect(try !restarted(rules).takesEvents)
        rules.setTracking(true)
        #expect(rules.takesEvents)
        rules.wiped(.wiped)
        #expect(!rules.takesEvents)
    }

    @Test("REG-36: any start ends the rest after a wipe; only one that is meant ends that after an erasure")
    func rest() throws {
        var rules = PrivacyRules()
        expectFalse(rules.started(afterErasure: true))
        rules.wiped(.wiped)
        rules = try restarted(rules)
        expectTrue(rules.started(afterErasure: false))
        expectFalse(rules.started(afterErasure: false))
        rules.wiped(.erased)
        rules.wiped(.wiped)
        rules = try restarted(rules)
        expectFalse(rules.started(afterErasure: false))
        #expect(rules.rest == .erased)
        expectTrue(rules.started(afterErasure: true))
        #expect(rules.rest == nil)
    }

    @Test("REG-36: a no to tracking outlasts a wipe, and what cannot be read counts as a no")
    func choice() {
        var rules = PrivacyRules()
        rules.setTracking(false)
        rules.wiped(.wiped)
        expectTrue(rules.started(afterErasure: false))
        #expect(!rules.isTracking)
        #expect(!PrivacyRules.unreadable.isTracking)
        #expect(PrivacyRules.unreadable.rest == nil)
    }

    @Test("REG-36: only a 410 that says so means that the person was erased")
    func erasure() {
        func isErasure(_ status: Int, _ code: String?) -> Bool? {
            CallOutcome.answer(status: status, code: code, at: deviceEpoch).failure?.isErasure
        }
        #expect(isErasure(410, "erased") == true)
        #expect(isErasure(410, nil) == false)
        #expect(isErasure(410, "alreadyFetched") == false)
        #expect(isErasure(404, "erased") == false)
    }
}
