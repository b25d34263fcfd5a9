import BelfryRules
import Foundation
import Testing

/// When the message centers are fetched, with a manual clock.
struct MessageCenterScheduleTests {
    private let policy = MessageCenterPolicy()

    private func at(_ time: TimeInterval) -> Date {
        deviceEpoch.addingTimeInterval(time)
    }

    private func enabled() -> MessageCenterSchedule {
        var schedule = MessageCenterSchedule()
        schedule.setEnabled(true)
        return schedule
    }

    private func decide(
        _ schedule: MessageCenterSchedule, _ time: TimeInterval, _ appState: AppState = .foreground
    ) -> CallDecision {
        schedule.decide(now: at(time), appState: appState, policy: policy)
    }

    private func fetch(_ schedule: inout MessageCenterSchedule, _ time: TimeInterval, marks: Int? = nil) {
        schedule.attempted(at: at(time))
        schedule.succeeded(listed: ["Primary"], marks: marks ?? schedule.marks, now: at(time))
    }

    private func fail(_ schedule: inout MessageCenterSchedule, _ time: TimeInterval, _ outcome: CallOutcome) {
        schedule.attempted(at: at(time))
        schedule.failed(outcome, now: at(time), random: 0, policy: policy)
    }

    @Test("MC-1, MC-4: off by default; turned on, a fetch is due at once, then at the interval while the app is shown")
    func interval() {
        #expect(decide(MessageCenterSchedule(), 0) == .notNeeded)
        var schedule = enabled()
        #expect(decide(schedule, 0, .backgroundWake) == .notNeeded)
        #expect(decide(schedule, 0) == .send)
        fetch(&schedule, 0)
        #expect(decide(schedule, 1) == .wait(until: at(300), reason: .fetchedLately))
        for appState in [AppState.background, .backgroundWake] {
            #expect(decide(schedule, 400, appState) == .notNeeded)
        }
        #expect(decide(schedule, 299) == .wait(until: at(300), reason: .fetchedLately))
        #expect(decide(schedule, 300) == .send)
    }

    @Test("MC-4: over days of opening and closing there is one fetch for each interval in which the app was shown")
    func days() throws {
        var schedule = enabled()
        var dice = DeviceDice(seed: 3)
        var fetches: [TimeInterval] = []
        var time: TimeInterval = 0
        var opened: [(from: TimeInterval, to: TimeInterval)] = []
        while time < 5 * 86_400 {
            let close = time + dice.pause(mean: 900)
            opened.append((time, close))
            while time < close {
                schedule = try restarted(schedule)
                switch decide(schedule, time) {
                case .send:
                    fetches.append(time)
                    fetch(&schedule, time)
                case .wait(let until, _): time = max(until.timeIntervalSince(deviceEpoch), time + 0.001)
                case .notNeeded: time = close
                }
            }
            time = close + dice.pause(mean: 1_800)
        }
        let gaps = zip(fetches, fetches.dropFirst()).map { $1 - $0 }
        #expect(gaps.allSatisfy { $0 >= 299.99 })
        #expect(fetches.count > 400)
        // A person who opens the app sees messages that are younger than the interval at once.
        for (from, to) in opened {
            let last = fetches.last { $0 <= min(from + 0.01, to) } ?? -1_000
            #expect(from - last < 300.01)
        }
    }

    @Test("MC-4: a push makes a fetch due at once, shown or not, and one during a fetch makes another one due")
    func marked() throws {
        var schedule = enabled()
        fetch(&schedule, 0)
        schedule.requestFetch()
        for appState in [AppState.foreground, .background, .backgroundWake] {
            #expect(decide(try restarted(schedule), 1, appState) == .send)
        }
        let marks = schedule.marks
        schedule.attempted(at: at(1))
        schedule.requestFetch()
        schedule.succeeded(listed: [], marks: marks, now: at(2))
        #expect(decide(schedule, 2, .backgroundWake) == .send)
        fetch(&schedule, 3)
        #expect(decide(schedule, 3, .backgroundWake) == .notNeeded)
        var off = MessageCenterSchedule()
        off.requestFetch()
        #expect(off == MessageCenterSchedule())
    }

    @Test("MC-13: during maintenance the fetch is retried, not before Retry-After, and the cache stays")
    func maintenance() {
        var schedule = enabled()
        fetch(&schedule, 0)
        fail(&schedule, 300, .response(status: 503, retryAfter: 120, at: at(300)))
        #expect(schedule.fetchedAt == at(0))
        #expect(decide(schedule, 301) == .wait(until: at(420), reason: .backingOff))
        schedule.requestFetch()
        schedule.networkReturned()
        #expect(decide(schedule, 301) == .wait(until: at(420), reason: .backingOff))
        #expect(decide(schedule, 420) == .send)
        fetch(&schedule, 420)
        #expect(schedule.gate.lastFailure == nil)
    }

    @Test("MC-10: after five failures in a row the next attempt waits for the interval, or for the network's return")
    func abandoned() {
        var schedule = enabled()
        var time: TimeInterval = 0
        for _ in 1...5 {
            #expect(!schedule.hasGivenUp(policy: policy))
            #expect(decide(schedule, time) == .send)
            fail(&schedule, time, .noResponse("lost", at: at(time)))
            if case .wait(let until, _) = decide(schedule, time) { time = until.timeIntervalSince(deviceEpoch) }
        }
        #expect(schedule.hasGivenUp(policy: policy))
        #expect(decide(schedule, 30) == .wait(until: at(330), reason: .backingOff))
        #expect(time == 330)
        var returned = schedule
        returned.networkReturned()
        #expect(decide(returned, 31) == .send)
        #expect(decide(schedule, 330) == .send)
        // However long the interval, who gave up tries again after a quarter of an hour.
        let rare = MessageCenterPolicy(interval: 86_400)
        let last = schedule.decide(now: at(31), appState: .foreground, policy: rare)
        #expect(last == .wait(until: at(930), reason: .backingOff))
        // A fetch that a push requested waits only for the back-off.
        schedule.requestFetch()
        #expect(decide(schedule, 30) == .wait(until: at(62), reason: .backingOff))
        #expect(decide(schedule, 62) == .send)
    }

    @Test("MC-10: no error is final; a 401 only waits for a new token")
    func rejected() {
        var schedule = enabled()
        fail(&schedule, 0, .response(status: 403, code: "messageCenterDisabled", at: at(0)))
        #expect(schedule.gate.lastFailure?.status == 403)
        #expect(decide(schedule, 0) == .wait(until: at(2), reason: .backingOff))
        fetch(&schedule, 2)
        fail(&schedule, 302, .response(status: 401, code: "contactTokenExpired", at: at(302)))
        #expect(decide(schedule, 302) == .send)
    }

    @Test("MC-12: another contact's messages are due at once, and responses of the former generation are recognised")
    func swapped() {
        var schedule = enabled()
        fetch(&schedule, 0)
        let before = schedule.generation
        schedule.contactChanged()
        #expect(schedule.generation != before && schedule.fetchedAt == nil && schedule.listed.isEmpty)
        #expect(decide(schedule, 1) == .send)
        let enabled = schedule.generation
        schedule.setEnabled(false)
        schedule.setEnabled(true)
        #expect(![before, enabled].contains(schedule.generation))
    }

    @Test("MC-4: a clock that was set back does not freeze the schedule")
    func setBack() {
        var schedule = enabled()
        fetch(&schedule, 90_000)
        schedule.rebase(to: at(0))
        #expect(decide(schedule, 0) == .wait(until: at(300), reason: .fetchedLately))
    }

    @Test("MC-10: an unlisted center is requested once after each fetch, and only when the app wants it")
    func unlisted() throws {
        var schedule = enabled()
        let early = schedule.wanted("Offers")
        #expect(!early, "nobody knows yet what is listed")
        fetch(&schedule, 0)
        let known = schedule.wanted("Primary")
        let first = schedule.wanted("Offers")
        let again = schedule.wanted("Offers")
        #expect(!known && first && !again)
        #expect(try restarted(schedule).nextUnlisted(now: at(1)) == "Offers")
        schedule.answered("Offers", .response(status: 403, code: "messageCenterDisabled", at: at(1)))
        #expect(schedule.nextUnlisted(now: at(1)) == nil)
        #expect(schedule.failure(of: "Offers")?.code == "messageCenterDisabled")
        fetch(&schedule, 300)
        #expect(schedule.failure(of: "Offers") == nil)
        _ = schedule.wanted("Offers")
        schedule.answered("Offers", .accepted)
        #expect(decide(schedule, 301) == .send, "it is there by now, so all of them are fetched")
        for number in 0..<20 { _ = schedule.wanted("N\(number)") }
        var asked = 0
        while let name = schedule.nextUnlisted(now: at(301)) {
            schedule.answered(name, .response(status: 404, code: "unknownMessageCenter", at: at(301)))
            asked += 1
        }
        #expect(asked == MessageCenterSchedule.maximumUnlisted)
    }

    @Test("MC-7: a message stays for the retention after the fetch that had it; its own expiry wins when it is earlier")
    func retention() {
        let fetched = at(0)
        func keeps(_ time: TimeInterval, expires: TimeInterval? = nil) -> Bool {
            MessageCenterRetention(policy.retention, now: at(time))
                .keeps(fetchedAt: fetched, expiresAt: expires.map { at($0) })
        }
        let days: TimeInterval = 86_400
        #expect(keeps(15 * days - 1) && !keeps(15 * days))
        #expect(keeps(9, expires: 10) && !keeps(10, expires: 10))
        #expect(!keeps(15 * days, expires: 30 * days))
    }

    @Test("MC-2, MC-12: listed centers keep their labels until another response or contact; earlier versions had none")
    func labels() throws {
        var schedule = enabled()
        fetch(&schedule, 0)
        let data = try JSONEncoder().encode(schedule)
        #expect(!String(decoding: data, as: UTF8.self).contains("labels"))
        #expect(try JSONDecoder().decode(MessageCenterSchedule.self, from: data) == schedule)
        schedule.succeeded(listed: ["Primary", "news"], labels: ["news": "New"], marks: 0, now: at(1))
        schedule = try restarted(schedule)
        #expect(schedule.label(of: "news") == "New" && schedule.label(of: "Primary") == nil)
        var another = schedule
        another.contactChanged()
        #expect(another.label(of: "news") == nil)
        fetch(&schedule, 2)
        #expect(schedule.label(of: "news") == nil)
    }

    @Test("MC-10, REG-14: a state that an earlier version stored is read, without message centers")
    func earlierVersion() throws {
        var state = SyncState()
        _ = state.link.identify(key: "anna", field: nil, now: deviceEpoch)
        let data = try JSONEncoder().encode(state)
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        for key in ["centers", "messageStates", "badge"] { #expect(object.removeValue(forKey: key) != nil) }
        let old = try JSONSerialization.data(withJSONObject: object)
        #expect(try JSONDecoder().decode(SyncState.self, from: old) == state)
    }
}
