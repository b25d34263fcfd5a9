import BelfryModel
import BelfryRules
import Foundation
import Testing

struct RegistrationScheduleTests {
    private let now = deviceEpoch
    private let policy = RegistrationSchedule.Policy()

    private func record(_ city: String) throws -> StableDigest {
        StableDigest(record: ContactRecord(attributes: [try AttributeKey("city"): .string(city)]))
    }

    private func decide(
        _ schedule: RegistrationSchedule, _ record: StableDigest, at time: TimeInterval,
        appState: AppState = .foreground, isHurried: Bool = false
    ) -> RegistrationDecision {
        schedule.decide(
            record, now: now.addingTimeInterval(time), appState: appState, isHurried: isHurried, policy: policy
        )
    }

    private func wait(_ time: TimeInterval, _ reason: WaitReason) -> RegistrationDecision {
        .wait(until: now.addingTimeInterval(time), reason: reason)
    }

    private func failure(_ status: Int, retryAfter: TimeInterval? = nil) -> CallOutcome {
        .response(status: status, code: "code", retryAfter: retryAfter, at: now)
    }

    /// A schedule whose record was accepted at the time 0.
    private func accepted(_ record: StableDigest) -> RegistrationSchedule {
        var schedule = RegistrationSchedule()
        schedule.noticed(record, now: now)
        let revision = schedule.attempted(at: now)
        schedule.succeeded(record, sent: revision, serverRevision: revision, current: record)
        return schedule
    }

    @Test("REG-2: the first registration is sent at once")
    func first() throws {
        var schedule = RegistrationSchedule()
        schedule.noticed(try record(""), now: now)
        #expect(decide(schedule, try record(""), at: 0) == .send(.first))
    }

    @Test("REG-3: nothing is sent when the server has accepted the record, and an undone edit is no change")
    func unchanged() throws {
        let paris = try record("Paris")
        var schedule = accepted(paris)
        #expect(decide(schedule, paris, at: 1_000_000) == .idle(.nothingChanged))
        schedule.noticed(try record("Lyon"), now: now.addingTimeInterval(100))
        schedule.noticed(paris, now: now.addingTimeInterval(101))
        #expect(schedule.changedAt == nil)
        #expect(decide(schedule, paris, at: 200) == .idle(.nothingChanged))
    }

    @Test("REG-3: a background wake sends no registration, pending or not")
    func backgroundWake() throws {
        let lyon = try record("Lyon")
        var schedule = accepted(try record("Paris"))
        schedule.noticed(lyon, now: now.addingTimeInterval(100))
        #expect(decide(schedule, lyon, at: 5_000, appState: .backgroundWake) == .idle(.backgroundWake))
        #expect(decide(RegistrationSchedule(), lyon, at: 0, appState: .backgroundWake) == .idle(.backgroundWake))
        #expect(decide(schedule, lyon, at: 5_000) == .send(.changed))
    }

    @Test("REG-4: edits inside a minute coalesce, and the update is sent within a minute of the first")
    func coalescing() throws {
        var schedule = accepted(try record("Paris"))
        schedule.noticed(try record("Lyon"), now: now.addingTimeInterval(1_000))
        #expect(decide(schedule, try record("Lyon"), at: 1_000) == wait(1_010, .collectingEdits))
        schedule.noticed(try record("Nice"), now: now.addingTimeInterval(1_005))
        #expect(decide(schedule, try record("Nice"), at: 1_005) == wait(1_010, .collectingEdits))
        #expect(decide(schedule, try record("Nice"), at: 1_010) == .send(.changed))
        let revision = schedule.attempted(at: now.addingTimeInterval(1_010))
        schedule.succeeded(
            try record("Nice"), sent: revision, serverRevision: revision, current: try record("Brest")
        )
        #expect(decide(schedule, try record("Brest"), at: 1_011) == wait(1_070, .throttled))
        #expect(decide(schedule, try record("Brest"), at: 1_070) == .send(.changed))
    }

    @Test("REG-4: an app about to be suspended does not wait for more edits, but respects the throttle")
    func hurried() throws {
        let lyon = try record("Lyon")
        var schedule = accepted(try record("Paris"))
        schedule.noticed(lyon, now: now.addingTimeInterval(30))
        #expect(decide(schedule, lyon, at: 30, isHurried: true) == wait(60, .throttled))
        schedule.noticed(lyon, now: now.addingTimeInterval(90))
        #expect(decide(schedule, lyon, at: 90, isHurried: true) == .send(.changed))
    }

    @Test("REG-4: every attempt counts, including one without a known response")
    func lostAnswer() throws {
        let paris = try record("Paris")
        let lyon = try record("Lyon")
        var schedule = accepted(paris)
        schedule.noticed(lyon, now: now.addingTimeInterval(100))
        _ = schedule.attempted(at: now.addingTimeInterval(110))
        schedule = try restarted(schedule)
        #expect(decide(schedule, lyon, at: 120) == wait(170, .throttled))
        // The server may have Lyon now, so the return to Paris must be said.
        schedule.noticed(paris, now: now.addingTimeInterval(130))
        #expect(decide(schedule, paris, at: 170) == .send(.retry))
    }

    @Test("REG-6: delays grow after failures, across restarts, and an edit does not shorten the wait")
    func failures() throws {
        let lyon = try record("Lyon")
        var schedule = accepted(try record("Paris"))
        schedule.noticed(lyon, now: now.addingTimeInterval(100))
        var time: TimeInterval = 110
        var delays: [TimeInterval] = []
        for _ in 0..<13 {
            #expect(decide(schedule, lyon, at: time) != .idle(.nothingChanged))
            let at = now.addingTimeInterval(time)
            _ = schedule.attempted(at: at)
            schedule.failed(failure(503), for: lyon, now: at, random: 0, policy: policy)
            schedule = try restarted(schedule)
            schedule.noticed(try record("Nice"), now: at.addingTimeInterval(1))
            guard case .wait(let until, .backingOff) = decide(schedule, try record("Nice"), at: time + 1) else {
                // The first retry meets the throttle at the same moment.
                #expect(decide(schedule, try record("Nice"), at: time + 1) == wait(time + 60, .throttled))
                delays.append(60)
                time += 60
                continue
            }
            delays.append(until.timeIntervalSince(at))
            time += delays[delays.count - 1]
        }
        #expect(delays.prefix(3) == [60, 120, 240])
        #expect(delays.suffix(2) == [86_400, 86_400])
    }

    @Test("REG-6: Retry-After delays the next attempt")
    func retryAfter() throws {
        let paris = try record("Paris")
        var schedule = RegistrationSchedule()
        _ = schedule.attempted(at: now)
        schedule.failed(failure(429, retryAfter: 600), for: paris, now: now, random: 0, policy: policy)
        #expect(decide(schedule, paris, at: 1) == wait(600, .backingOff))
    }

    @Test("REG-6: a refused record waits for the next edit, or a day")
    func rejected() throws {
        let paris = try record("Paris")
        var schedule = RegistrationSchedule()
        _ = schedule.attempted(at: now)
        schedule.failed(failure(400), for: paris, now: now, random: 0, policy: policy)
        schedule = try restarted(schedule)
        #expect(decide(schedule, paris, at: 1) == wait(86_400, .refused))
        #expect(decide(schedule, try record("Lyon"), at: 1) == wait(60, .throttled))
        #expect(decide(schedule, try record("Lyon"), at: 60) == .send(.retry))
        #expect(decide(schedule, paris, at: 86_400) == .send(.retry))
    }

    @Test("REG-7: when the network returns the update is sent, no sooner than a minute after the last attempt")
    func network() throws {
        let paris = try record("Paris")
        var schedule = RegistrationSchedule()
        for time in stride(from: 0.0, to: 1_200, by: 60) {
            let at = now.addingTimeInterval(time)
            _ = schedule.attempted(at: at)
            schedule.failed(.noResponse("offline", at: at), for: paris, now: at, random: 0, policy: policy)
        }
        #expect(decide(schedule, paris, at: 1_300) != .send(.retry))
        schedule.networkReturned()
        #expect(decide(schedule, paris, at: 1_150) == wait(1_200, .throttled))
        #expect(decide(schedule, paris, at: 1_200) == .send(.retry))
    }

    @Test("REG-4: a clock that was set back does not freeze the schedule")
    func clockSetBack() throws {
        let lyon = try record("Lyon")
        var schedule = accepted(try record("Paris"))
        schedule.noticed(lyon, now: now.addingTimeInterval(1))
        let back: TimeInterval = -86_400 * 365
        schedule.rebase(to: now.addingTimeInterval(back))
        #expect(decide(schedule, lyon, at: back) == wait(back + 60, .throttled))
        #expect(decide(schedule, lyon, at: back + 60) == .send(.changed))
    }

    @Test("REG-21: the revision grows, and continues above the one that the server knows")
    func revisions() throws {
        let paris = try record("Paris")
        var schedule = RegistrationSchedule()
        #expect(schedule.attempted(at: now) == 1)
        schedule.succeeded(paris, sent: 1, serverRevision: 41, current: paris)
        // The server ignored revision 1, so the record is still to be said.
        #expect(decide(schedule, paris, at: 60) == .send(.retry))
        #expect(schedule.attempted(at: now.addingTimeInterval(60)) == 42)
        schedule.succeeded(paris, sent: 42, serverRevision: 42, current: paris)
        #expect(decide(schedule, paris, at: 1_000) == .idle(.nothingChanged))
        #expect(schedule.acceptedRevision == 42)
    }

    @Test("REG-21: a revision that the server knew from before is not accepted, and the device continues above it")
    func knownRevision() throws {
        let paris = try record("Paris")
        var schedule = RegistrationSchedule()
        #expect(schedule.attempted(at: now) == 1)
        schedule.succeeded(paris, sent: 1, serverRevision: 1, isSuperseded: true, current: paris)
        #expect(schedule.accepted == nil && schedule.acceptedRevision == nil)
        #expect(decide(schedule, paris, at: 59) == wait(60, .throttled))
        #expect(decide(schedule, paris, at: 60) == .send(.retry))
        #expect(schedule.attempted(at: now.addingTimeInterval(60)) == 2)
        schedule.succeeded(paris, sent: 2, serverRevision: 2, current: paris)
        #expect(decide(schedule, paris, at: 1_000) == .idle(.nothingChanged))
    }

    @Test("REG-21: a revision that no Belfry server knows is not accepted, and the device continues above its own")
    func impossibleRevision() throws {
        let paris = try record("Paris")
        for claimed in [Int64.max, 1 << 53] {
            var schedule = RegistrationSchedule()
            let first = schedule.attempted(at: now)
            schedule.succeeded(paris, sent: first, serverRevision: claimed, current: paris)
            #expect(schedule.accepted == nil)
            #expect(decide(schedule, paris, at: 60) == .send(.retry))
            let second = schedule.attempted(at: now.addingTimeInterval(60))
            #expect(first == 1 && second == 2)
            schedule.succeeded(paris, sent: 2, serverRevision: 2, current: paris)
            #expect(schedule.acceptedRevision == 2)
        }
    }

    @Test("REG-21: a revision that was stored, and has no number above it, is begun anew above the accepted one")
    func storedImpossibleRevision() throws {
        var schedule = RegistrationSchedule()
        let paris = try record("Paris")
        let first = schedule.attempted(at: now)
        schedule.succeeded(paris, sent: first, serverRevision: 7, current: paris)
        let stored = try JSONEncoder().encode(schedule)
        let spoiled = String(decoding: stored, as: UTF8.self)
            .replacingOccurrences(of: "\"revision\":7", with: "\"revision\":\(Int64.max)")
        var restored = try JSONDecoder().decode(RegistrationSchedule.self, from: Data(spoiled.utf8))
        #expect(restored.revision == .max)
        let second = restored.attempted(at: now)
        #expect(second == 1)
        restored.succeeded(paris, sent: second, serverRevision: 7, current: paris)
        let third = restored.attempted(at: now)
        #expect(third == 8)
    }

    @Test("REG-21: where such a revision was accepted, too, the device begins at the first one")
    func acceptedImpossibleRevision() throws {
        let stored = String(decoding: try JSONEncoder().encode(accepted(try record("Paris"))), as: UTF8.self)
        for claimed in [Int64.max, 1 << 53, (1 << 53) - 1] as [Int64] {
            let spoiled = stored.replacingOccurrences(of: "\"revision\":1", with: "\"revision\":\(claimed)")
                .replacingOccurrences(of: "\"acceptedRevision\":1", with: "\"acceptedRevision\":\(claimed)")
            var restored = try JSONDecoder().decode(RegistrationSchedule.self, from: Data(spoiled.utf8))
            #expect(restored.revision == claimed && restored.acceptedRevision == claimed)
            let next = restored.attempted(at: now)
            #expect(next == 1)
        }
    }
}
