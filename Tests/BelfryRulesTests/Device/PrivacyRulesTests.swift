import BelfryRules
import Testing

struct PrivacyRulesTests {
    @Test("REG-36: events are recorded unless tracking is off or the client is suspended")
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

    @Test("REG-36: any start ends the suspension after a wipe; after an erasure only an explicit one")
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

    @Test("REG-36: tracking that is off stays off after a wipe, and an unreadable choice counts as off")
    func choice() {
        var rules = PrivacyRules()
        rules.setTracking(false)
        rules.wiped(.wiped)
        expectTrue(rules.started(afterErasure: false))
        #expect(!rules.isTracking)
        #expect(!PrivacyRules.unreadable.isTracking)
        #expect(PrivacyRules.unreadable.rest == nil)
    }

    @Test("REG-36: only a 410 with the code erased means that the person was erased")
    func erasure() {
        func isErasure(_ status: Int, _ code: String?) -> Bool? {
            CallOutcome.response(status: status, code: code, at: deviceEpoch).failure?.isErasure
        }
        #expect(isErasure(410, "erased") == true)
        #expect(isErasure(410, nil) == false)
        #expect(isErasure(410, "alreadyFetched") == false)
        #expect(isErasure(404, "erased") == false)
    }
}
