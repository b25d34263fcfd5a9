import BelfryRules
import Foundation
import Testing

/// When the message centres are fetched, by a clock that tests turn.
struct CenterScheduleTests {
    private let policy = CenterPolicy()

    private func at(_ time: TimeInterval) -> Date {
        deviceEpoch.addingTimeInterval(time)
    }

    private func enabled() -> CenterSchedule {
        var schedule = CenterSchedule()
        schedule.setEnabled(true)
        return schedule
    }

    private func decide(
        _ schedule: CenterSchedule, _ time: TimeInterval, _ appState: AppState = .foreground
    ) -> CallDecision {
        schedule.decide(now: at(time), appState: appState, policy: policy)
    }

    private func fetch(_ schedule: inout CenterSchedule, _ time: TimeInterval, marks: Int? = nil) {
        schedule.attempted(at: at(time))
        schedule.succeeded(listed: ["Primary"], marks: marks ?? schedule.marks, now: at(time))
    }

    private func fail(_ schedule: inout CenterSchedule, _ time: TimeInterval, _ outcome: CallOutcome) {
        schedule.attempted(at: at(time))
        schedule.failed(outcome, now: at(time), random: 0, policy: policy)
    }

    @Test("MC-1, MC-4: off by default; turned on they are due at once, and then at the interval while the app is shown")
    func interval() {
        #expect(decide(CenterSchedule(), 0) == .notNeeded)
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
        // Whoever looks sees what is younger than the interval, from the first moment of an opening on.
        for (from, to) in opened {
            let last = fetches.last { $0 <= min(from + 0.01, to) } ?? -1_000
            #expect(from - last < 300.01)
        }
    }

    @Test("MC-4: a push makes them due at once, shown or not, and one that comes during a fetch makes another one due")
    func marked() throws {
        var schedule = enabled()
        fetch(&schedule, 0)
        schedule.mark()
        for appState in [AppState.foreground, .background, .backgroundWake] {
            #expect(decide(try restarted(schedule), 1, appState) == .send)
        }
        let marks = schedule.marks
        schedule.attempted(at: at(1))
        schedule.mark()
        schedule.succeeded(listed: [], marks: marks, now: at(2))
        #expect(decide(schedule, 2, .backgroundWake) == .send)
        fetch(&schedule, 3)
        #expect(decide(schedule, 3, .backgroundWake) == .notNeeded)
        var off = CenterSchedule()
        off.mark()
        #expect(off == CenterSchedule())
    }

    @Test("MC-13: a server under maintenance is asked later, not before its Retry-After, and never gives the cache up")
    func maintenance() {
        var schedule = enabled()
        fetch(&schedule, 0)
        fail(&schedule, 300, .answer(status: 503, retryAfter: 120, at: at(300)))
        #expect(schedule.fetchedAt == at(0))
        #expect(decide(schedule, 301) == .wait(until: at(420), reason: .backingOff))
        schedule.mark()
        schedule.networkReturned()
        #expect(decide(schedule, 301) == .wait(until: at(420), reason: .backingOff))
        #expect(decide(schedule, 420) == .send)
        fetch(&schedule, 420)
        #expect(schedule.gate.lastFailure == nil)
    }

    @Test("MC-10: after five failures in a row the next attempt waits for the interval; the network's return ends that")
    func givenUp() {
        var schedule = enabled()
        var time: TimeInterval = 0
        for _ in 1...5 {
            #expect(!schedule.hasGivenUp(policy: policy))
            #expect(decide(schedule, time) == .send)
            fail(&schedule, time, .noAnswer("lost", at: at(time)))
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
        let rare = CenterPolicy(interval: 86_400)
        let last = schedule.decide(now: at(31), appState: .foreground, policy: rare)
        #expect(last == .wait(until: at(930), reason: .backingOff))
        // What a push told of waits for the back-off only.
        schedule.mark()
        #expect(decide(schedule, 30) == .wait(until: at(62), reason: .backingOff))
        #expect(decide(schedule, 62) == .send)
    }

    @Test("MC-10: no refusal is for good; a 401 waits for a new token only")
    func refused() {
        var schedule = enabled()
        fail(&schedule, 0, .answer(status: 403, code: "messageCenterDisabled", at: at(0)))
        #expect(schedule.gate.lastFailure?.status == 403)
        #expect(decide(schedule, 0) == .wait(until: at(2), reason: .backingOff))
        fetch(&schedule, 2)
        fail(&schedule, 302, .answer(status: 401, code: "contactTokenExpired", at: at(302)))
        #expect(decide(schedule, 302) == .send)
    }

    @Test("MC-12: another contact's messages are due at once, and what was fetched is another generation's")
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

    @Test("MC-4: a clock that was set back freezes nothing")
    func setBack() {
        var schedule = enabled()
        fetch(&schedule, 90_000)
        schedule.rebase(to: at(0))
        #expect(decide(schedule, 0) == .wait(until: at(300), reason: .fetchedLately))
    }

    @Test("MC-10: a centre that was not listed is asked for once after each fetch, and only when the app wants it")
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
        schedule.answered("Offers", .answer(status: 403, code: "messageCenterDisabled", at: at(1)))
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
            schedule.answered(name, .answer(status: 404, code: "unknownMessageCenter", at: at(301)))
            asked += 1
        }
        #expect(asked == CenterSchedule.maximumUnlisted)
    }

    @Test("MC-7: a message stays for the retention after the fetch that had it; its own expiry wins when it is earlier")
    func retention() {
        let fetched = at(0)
        func keeps(_ time: TimeInterval, expires: TimeInterval? = nil) -> Bool {
            CenterRetention(policy.retention, now: at(time))
                .keeps(fetchedAt: fetched, expiresAt: expires.map { at($0) })
        }
        let days: TimeInterval = 86_400
        #expect(keeps(15 * days - 1) && !keeps(15 * days))
        #expect(keeps(9, expires: 10) && !keeps(10, expires: 10))
        #expect(!keeps(15 * days, expires: 30 * days))
    }

    @Test("MC-2, MC-12: listed centres keep their labels until another answer or contact; earlier versions stored none")
    func labels() throws {
        var schedule = enabled()
        fetch(&schedule, 0)
        let data = try JSONEncoder().encode(schedule)
        #expect(!String(decoding: data, as: UTF8.self).contains("labels"))
        #expect(try JSONDecoder().decode(CenterSchedule.self, from: data) == schedule)
        schedule.succeeded(listed: ["Primary", "news"], labels: ["news": "New"], marks: 0, now: at(1))
        schedule = try restarted(schedule)
        #expect(schedule.label(of: "news") == "New" && schedule.label(of: "Primary") == nil)
        var another = schedule
        another.contactChanged()
        #expect(another.label(of: "news") == nil)
        fetch(&schedule, 2)
        #expect(schedule.label(of: "news") == nil)
    }

    @Test("MC-10, REG-14: what an earlier version stored is read, and knows nothing of message centres")
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
