import BelfryModel
import BelfryRules
import Foundation
import Testing

/// When in-app messages are fetched, with a manual clock.
struct InAppSyncScheduleTests {
    private let policy = InAppPolicy()

    private func at(_ time: TimeInterval) -> Date {
        deviceEpoch.addingTimeInterval(time)
    }

    private func enabled() -> InAppSyncSchedule {
        var schedule = InAppSyncSchedule()
        schedule.setEnabled(true)
        return schedule
    }

    private func decide(
        _ schedule: InAppSyncSchedule, _ time: TimeInterval, _ appState: AppState = .foreground
    ) -> CallDecision {
        schedule.decide(now: at(time), appState: appState, policy: policy)
    }

    private func fetch(_ schedule: inout InAppSyncSchedule, _ time: TimeInterval, cursor: String = "c") {
        schedule.succeeded(cursor: cursor, marks: schedule.marks, showings: schedule.showings, now: at(time))
    }

    @Test("IAM-3: a device that shows no messages fetches none; one that does fetches at once when it is shown")
    func first() {
        var off = InAppSyncSchedule()
        off.requestFetch()
        off.enteredForeground()
        #expect(decide(off, 0) == .notNeeded && off == InAppSyncSchedule())
        #expect(decide(enabled(), 0, .backgroundWake) == .notNeeded)
        #expect(decide(enabled(), 0) == .send)
    }

    @Test("IAM-3: each foreground fetches, at most once a minute; the start of a session always does")
    func foreground() throws {
        var schedule = enabled()
        fetch(&schedule, 0)
        #expect(decide(schedule, 3_600) == .notNeeded, "while it is shown nothing is asked again")
        schedule.enteredForeground()
        #expect(decide(try restarted(schedule), 20) == .wait(until: at(60), reason: .fetchedLately))
        #expect(decide(schedule, 20, .background) == .notNeeded)
        #expect(decide(try restarted(schedule), 60) == .send)
        fetch(&schedule, 60)
        #expect(decide(schedule, 120) == .notNeeded)
        schedule.enteredForeground()
        schedule.requestFetch()
        #expect(decide(try restarted(schedule), 61) == .send)
    }

    @Test("IAM-3: a silent push fetches at once, shown or not; one that comes during a fetch makes another one due")
    func marked() throws {
        var schedule = enabled()
        fetch(&schedule, 0)
        schedule.requestFetch()
        for appState in [AppState.foreground, .background, .backgroundWake] {
            #expect(decide(try restarted(schedule), 1, appState) == .send)
        }
        let (marks, showings) = (schedule.marks, schedule.showings)
        schedule.requestFetch()
        schedule.enteredForeground()
        schedule.succeeded(cursor: "d", marks: marks, showings: showings, now: at(2))
        #expect(schedule.cursor == "d" && decide(schedule, 2, .backgroundWake) == .send)
        fetch(&schedule, 3)
        #expect(decide(schedule, 3, .backgroundWake) == .notNeeded && decide(schedule, 3) == .notNeeded)
    }

    @Test(
        "IAM-3: a missed silent push costs nothing: the next opening of the app fetches", arguments: 1...20)
    func neverComes(seed: Int) throws {
        var dice = DeviceDice(seed: UInt64(seed))
        var schedule = enabled()
        var time: TimeInterval = 0
        var fetches: [TimeInterval] = []
        for _ in 1...200 {
            schedule.enteredForeground()
            let opened = time
            let closed = time + 61
            var last: TimeInterval?
            while time < closed {
                schedule = try restarted(schedule)
                switch decide(schedule, time) {
                case .send:
                    fetches.append(time)
                    last = time
                    fetch(&schedule, time)
                case .wait(let until, _): time = max(until.timeIntervalSince(deviceEpoch), time + 0.001)
                case .notNeeded: time = closed
                }
            }
            #expect(last.map { $0 - opened <= 60.01 } == true)
            time = closed + dice.pause(mean: dice.isLikely(0.5) ? 10 : 3_600)
        }
        #expect(zip(fetches, fetches.dropFirst()).allSatisfy { $1 - $0 >= 59.99 })
    }

    @Test("IAM-3: failures back off, a Retry-After is respected, and no error is final")
    func failures() {
        var schedule = enabled()
        schedule.failed(
            .response(status: 503, retryAfter: 120, at: at(0)), now: at(0), random: 0, policy: policy
        )
        #expect(decide(schedule, 1) == .wait(until: at(120), reason: .backingOff))
        schedule.requestFetch()
        schedule.networkReturned()
        #expect(decide(schedule, 1) == .wait(until: at(120), reason: .backingOff))
        #expect(decide(schedule, 120) == .send)
        fetch(&schedule, 120)
        schedule.requestFetch()
        schedule.failed(.response(status: 403, code: "x", at: at(200)), now: at(200), random: 0, policy: policy)
        #expect(decide(schedule, 200) == .wait(until: at(202), reason: .backingOff))
        schedule.rebase(to: at(-100_000))
        #expect(decide(schedule, -99_998) == .send, "a clock that was set back freezes nothing")
        schedule.failed(.noResponse("lost", at: at(300)), now: at(300), random: 0, policy: policy)
        schedule.networkReturned()
        #expect(decide(schedule, 300) == .send)
    }

    @Test("IAM-11: another contact's messages are due at once, without the former one's cursor")
    func swapped() {
        var schedule = enabled()
        fetch(&schedule, 0, cursor: "anna")
        let before = schedule.generation
        schedule.contactChanged()
        #expect(schedule.generation != before && schedule.cursor == nil && decide(schedule, 1) == .send)
        let enabled = schedule.generation
        schedule.setEnabled(false)
        schedule.setEnabled(true)
        #expect(![before, enabled].contains(schedule.generation))
    }

    @Test("IAM-3: in-app messages are fetched after the registration, for a linked contact, and before the centers")
    func plan() throws {
        var state = SyncState()
        state.launched()
        state.answered(clientState: "state", serverTime: nil, sentAt: deviceEpoch, now: deviceEpoch)
        state.inApp.setEnabled(true)
        state.centers.setEnabled(true)
        let situation = SyncSituation(
            record: ContactRecord(), recordDigest: StableDigest(record: ContactRecord()), queue: QueueStatus(),
            appState: .foreground, isOnline: true, isHurried: false
        )
        func next() -> SyncStep {
            SyncPlan.next(for: state, in: situation, now: deviceEpoch, policy: SyncPolicy())
        }
        #expect(next() == .sendProperties)
        let digest = situation.propertiesDigest
        state.properties.answered(
            .accepted, for: digest, hasClientState: true, now: deviceEpoch, random: 0, policy: .call
        )
        guard case .link(let link) = next() else {
            Issue.record("\(next())")
            return
        }
        state.link.linkSucceeded(
            link, tokens: ContactTokens(contactToken: "token", refreshToken: "refresh"), reference: "reference"
        )
        #expect(next() == .register(.first))
        let revision = state.registration.attempted(at: deviceEpoch)
        state.registration.succeeded(
            situation.recordDigest, sent: revision, serverRevision: revision, current: situation.recordDigest
        )
        #expect(next() == .fetchInApp)
        fetch(&state.inApp, 0)
        #expect(next() == .fetchCenters)
        let data = try JSONEncoder().encode(state)
        var object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        #expect(object.removeValue(forKey: "inApp") != nil)
        let old = try JSONDecoder().decode(SyncState.self, from: JSONSerialization.data(withJSONObject: object))
        #expect(old.inApp == InAppSyncSchedule(), "what an earlier version stored is read")
    }
}
