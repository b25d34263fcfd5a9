import BelfryRules
import Foundation
import Testing

struct SessionRulesTests {
    private let policy = SessionPolicy(timeout: 30, heartbeat: 60)

    private func at(_ time: TimeInterval) -> Date {
        deviceEpoch.addingTimeInterval(time)
    }

    /// Started and shown at the time 0.
    private func running() -> SessionRules {
        var rules = SessionRules()
        _ = rules.launched(at: at(0), policy: policy)
        _ = rules.enteredForeground(at: at(0), newID: "one", policy: policy)
        return rules
    }

    @Test("EVT-6: the first time that the app is shown tracks app:start and a session, once")
    func start() {
        var rules = SessionRules()
        #expect(rules.launched(at: at(0), policy: policy) == [])
        #expect(
            rules.enteredForeground(at: at(1), newID: "one", policy: policy)
                == [.appStart(at: at(1)), .sessionStart(id: "one", at: at(1))]
        )
        #expect(rules.enteredForeground(at: at(2), newID: "two", policy: policy) == [])
        #expect(rules.session?.id == "one")
    }

    @Test("EVT-6: a background wake starts no session")
    func backgroundWake() {
        var rules = SessionRules()
        #expect(rules.launched(at: at(0), policy: policy) == [])
        rules.enteredBackground(at: at(5))
        #expect(rules.timePassed(at: at(1_000), policy: policy) == [])
        #expect(rules.session == nil)
        #expect(rules.nextDue(policy: policy) == nil)
    }

    @Test("EVT-6: a short while in the background does not end the session, the time-out does")
    func timeout() {
        var rules = running()
        rules.enteredBackground(at: at(100))
        #expect(rules.timePassed(at: at(129), policy: policy) == [])
        #expect(rules.enteredForeground(at: at(129), newID: "two", policy: policy) == [])
        rules.enteredBackground(at: at(200))
        #expect(rules.nextDue(policy: policy) == at(230))
        #expect(
            rules.timePassed(at: at(230), policy: policy)
                == [.sessionEnd(id: "one", at: at(200), duration: 200)]
        )
        #expect(
            rules.enteredForeground(at: at(500), newID: "two", policy: policy)
                == [.sessionStart(id: "two", at: at(500))]
        )
    }

    @Test("EVT-6: back after the time-out, the old session is closed before the new one starts")
    func lateReturn() {
        var rules = running()
        rules.enteredBackground(at: at(100))
        #expect(
            rules.enteredForeground(at: at(900), newID: "two", policy: policy) == [
                .sessionEnd(id: "one", at: at(100), duration: 100), .sessionStart(id: "two", at: at(900)),
            ]
        )
    }

    @Test("EVT-6: a session that ended while the app was dead is closed at the next start with the right duration")
    func diedInBackground() throws {
        var rules = running()
        rules.enteredBackground(at: at(100))
        rules = try restarted(rules)
        #expect(
            rules.launched(at: at(86_400), policy: policy)
                == [.sessionEnd(id: "one", at: at(100), duration: 100)]
        )
        #expect(rules.session == nil)
    }

    @Test("EVT-6: a session that died in the foreground ends at the last time it was seen")
    func diedInForeground() throws {
        var rules = running()
        #expect(rules.nextDue(policy: policy) == at(60))
        rules.seen(at: at(60))
        rules.seen(at: at(120))
        rules = try restarted(rules)
        #expect(
            rules.launched(at: at(5_000), policy: policy)
                == [.sessionEnd(id: "one", at: at(120), duration: 120)]
        )
    }

    @Test("EVT-6: another contact gets its own session")
    func contactChanged() {
        var rules = running()
        #expect(
            rules.contactChanged(at: at(40), newID: "two")
                == [.sessionEnd(id: "one", at: at(40), duration: 40), .sessionStart(id: "two", at: at(40))]
        )
        rules.enteredBackground(at: at(50))
        #expect(rules.contactChanged(at: at(60), newID: "three") == [.sessionEnd(id: "two", at: at(50), duration: 10)])
        #expect(rules.contactChanged(at: at(70), newID: "four") == [])
    }

    @Test("EVT-6: no clock makes a duration negative or a session endless")
    func clockSetBack() {
        var rules = running()
        rules.enteredBackground(at: at(-5_000))
        #expect(rules.timePassed(at: at(-4_000), policy: policy) == [.sessionEnd(id: "one", at: at(0), duration: 0)])
    }
}
