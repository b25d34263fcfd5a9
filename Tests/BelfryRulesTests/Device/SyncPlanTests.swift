import BelfryModel
import BelfryRules
import Foundation
import Testing

struct SyncPlanTests {
    private let now = deviceEpoch
    private let token = try? PushToken("abcd", provider: .apns, environment: .production)

    private func at(_ time: TimeInterval) -> Date {
        now.addingTimeInterval(time)
    }

    private func situation(
        _ record: ContactRecord = ContactRecord(), events: Int = 0, appState: AppState = .foreground,
        isOnline: Bool = true
    ) -> SyncSituation {
        SyncSituation(
            record: record, recordDigest: StableDigest(record: record),
            queue: QueueStatus(count: events, bytes: events * 100, oldestAt: events > 0 ? at(-60) : nil),
            appState: appState, isOnline: isOnline, isHurried: false
        )
    }

    private func next(
        _ state: SyncState, _ situation: SyncSituation, at time: TimeInterval = 0, policy: SyncPolicy = SyncPolicy()
    ) -> SyncStep {
        SyncPlan.next(for: state, in: situation, now: at(time), policy: policy)
    }

    private func launched() -> SyncState {
        var state = SyncState()
        state.launched()
        return state
    }

    /// Does what the step asks and has it answered, as far as the tests need it.
    private func answer(
        _ step: SyncStep, _ status: Int, _ state: inout SyncState, _ situation: SyncSituation,
        at time: TimeInterval = 0
    ) {
        let outcome = CallOutcome.response(status: status, code: "code", at: at(time))
        let calls = Backoff.Policy.call
        switch step {
        case .sendProperties:
            state.properties.attempted()
            if status == 204 { state.answered(clientState: "state", serverTime: nil, sentAt: at(time), now: at(time)) }
            state.properties.answered(
                outcome, for: situation.propertiesDigest, hasClientState: state.clientState != nil, now: at(time),
                random: 0, policy: calls
            )
        case .link(let link) where status == 200:
            let tokens = ContactTokens(contactToken: "token", refreshToken: "refresh")
            state.link.linkSucceeded(link, tokens: tokens, reference: "reference")
        case .link(let link):
            state.link.linkFailed(outcome, for: link, now: at(time), random: 0, policy: calls)
        case .putPushToken(let token):
            state.pushToken.attempted()
            let digest = StableDigest(pushToken: token)
            state.pushToken.answered(outcome, for: digest, now: at(time), random: 0, policy: calls)
        case .deletePushToken:
            state.pushToken.attempted()
            state.pushToken.answered(outcome, for: .removedPushToken, now: at(time), random: 0, policy: calls)
        case .register:
            let digest = situation.recordDigest
            let revision = state.registration.attempted(at: at(time))
            if status == 201 {
                state.registration.succeeded(digest, sent: revision, serverRevision: revision, current: digest)
            } else {
                let policy = RegistrationSchedule.Policy()
                state.registration.failed(outcome, for: digest, now: at(time), random: 0, policy: policy)
            }
        case .upload:
            _ = state.uploads.answered(outcome, batchCount: 2, now: at(time), random: 0, policy: UploadPolicy())
        case .refreshToken, .wait, .idle, .awaitedCall, .putMessageState, .reportRichContent, .fetchCenters,
            .fetchCenter, .resetBadge, .fetchBadge, .fetchInApp:
            break
        }
    }

    /// Everything said and accepted.
    private func settled(_ situation: SyncSituation) -> SyncState {
        var state = launched()
        for _ in 0..<10 {
            let step = next(state, situation)
            switch step {
            case .sendProperties, .putPushToken, .deletePushToken: answer(step, 204, &state, situation)
            case .link: answer(step, 200, &state, situation)
            case .register: answer(step, 201, &state, situation)
            default: break
            }
        }
        return state
    }

    @Test("ID-1: the first start sends properties, link, push token, registration, events, in this order")
    func firstStart() {
        var record = ContactRecord()
        record.pushToken = token
        let busy = situation(record, events: 2)
        var state = launched()
        var steps: [String] = []
        for _ in 0..<5 {
            let step = next(state, busy)
            switch step {
            case .sendProperties: steps.append("properties")
            case .link(let link): steps.append("link \(link.target.isKnown ? "known" : "anonymous")")
            case .putPushToken: steps.append("push token")
            case .register(let reason): steps.append("registration \(reason)")
            case .upload: steps.append("events")
            default: steps.append("nothing")
            }
            let statuses = ["link anonymous": 200, "registration first": 201]
            answer(step, statuses[steps[steps.count - 1], default: 204], &state, busy)
        }
        #expect(steps == ["properties", "link anonymous", "push token", "registration first", "events"])
    }

    @Test("ID-2: properties are sent again only when they changed or no client state is stored")
    func properties() {
        let calm = situation()
        var state = settled(calm)
        #expect(next(state, calm) == .idle(.nothingToDo))
        state.launched()
        #expect(next(state, calm) == .idle(.nothingToDo))
        var changed = ContactRecord()
        changed.system.osVersion = "19.0"
        #expect(next(state, situation(changed)) == .sendProperties)
        var stateless = launched()
        stateless.properties.attempted()
        stateless.properties.answered(
            .accepted, for: calm.propertiesDigest, hasClientState: false, now: now, random: 0, policy: .call
        )
        // Asked once in a run, not forever, when the server gives no state.
        #expect(next(stateless, calm) != .sendProperties)
        stateless.launched()
        #expect(next(stateless, calm) == .sendProperties)
    }

    @Test("ID-5: a push token is sent when it changes, withdrawn when it is gone, and not repeated")
    func pushToken() throws {
        var record = ContactRecord()
        record.pushToken = token
        let calm = situation(record)
        var state = settled(calm)
        #expect(next(state, calm) == .idle(.nothingToDo))
        let other = try PushToken("efef", provider: .apns, environment: .production)
        record.pushToken = other
        #expect(next(state, situation(record)) == .putPushToken(other))
        record.pushToken = nil
        state.pushToken.removed()
        #expect(next(state, situation(record)) == .deletePushToken)
        answer(.deletePushToken, 204, &state, situation(record))
        #expect(next(state, situation(record)) != .deletePushToken)
    }

    @Test("ID-5: when it is unknown whether a token arrived, even the return to the former one is sent")
    func lostTokenAnswer() throws {
        var record = ContactRecord()
        record.pushToken = token
        var state = settled(situation(record))
        state.pushToken.attempted()
        let former = try #require(token)
        #expect(next(state, situation(record)) == .putPushToken(former))
    }

    @Test("EVT-5: a failing call delays only what depends on it", arguments: [500, 400])
    func independence(status: Int) throws {
        var record = ContactRecord()
        record.pushToken = token
        var state = settled(situation(record))
        record.system.osVersion = "19.0"
        record.pushToken = try PushToken("efef", provider: .apns, environment: .production)
        let busy = situation(record, events: 2)
        let properties = next(state, busy, at: 100)
        #expect(properties == .sendProperties)
        answer(properties, status, &state, busy, at: 100)
        let token = next(state, busy, at: 100)
        guard case .putPushToken = token else {
            Issue.record("the push token does not depend on the properties: \(token)")
            return
        }
        answer(token, status, &state, busy, at: 100)
        let registration = next(state, busy, at: 100)
        #expect(registration == .register(.changed))
        answer(registration, status, &state, busy, at: 100)
        guard case .upload = next(state, busy, at: 100) else {
            Issue.record("events depend on no other call")
            return
        }
    }

    @Test("ID-4: while a link is pending, registrations and events wait, a push token does not")
    func pendingLink() {
        var record = ContactRecord()
        var state = settled(situation(record))
        _ = state.link.identify(key: "anna", field: nil, now: now)
        record.pushToken = token
        let busy = situation(record, events: 2)
        let link = next(state, busy)
        #expect(link == .link(PendingLink(owner: 1, target: .known(key: "anna", field: nil))))
        answer(link, 503, &state, busy)
        guard case .putPushToken = next(state, busy) else {
            Issue.record("a push token needs any usable contact token")
            return
        }
        answer(next(state, busy), 204, &state, busy)
        #expect(next(state, busy) == .wait(until: at(2), reason: .backingOff))
        #expect(next(state, busy, at: 2) == link)
    }

    @Test("ID-6: a refused contact token stops the calls that need it; one refresh comes first")
    func refresh() {
        var state = settled(situation())
        state.link.tokenProved()
        let failure = CallFailure(status: 401, message: "expired", at: now)
        state.link.tokenRefused(failure, now: now, random: 0, policy: .call)
        #expect(next(state, situation(events: 2)) == .refreshToken("refresh"))
        state.link.refreshed(contactToken: "new")
        guard case .upload = next(state, situation(events: 2)) else {
            Issue.record("the events go on")
            return
        }
    }

    @Test("ID-6: when the server lost the device, everything is sent again")
    func forgotten() {
        var record = ContactRecord()
        record.pushToken = token
        let calm = situation(record)
        var state = settled(calm)
        state.forgotten(now: now)
        #expect(next(state, calm, at: 100) == .sendProperties)
        answer(.sendProperties, 204, &state, calm, at: 100)
        guard case .putPushToken = next(state, calm, at: 100) else {
            Issue.record("the push token is said again")
            return
        }
    }

    @Test("REG-7: without a network nothing is tried; a background wake sends events but no registration")
    func offlineAndWake() {
        #expect(next(launched(), situation(events: 2, isOnline: false)) == .idle(.offline))
        var record = ContactRecord()
        let state = settled(situation(record))
        record.tags = Set([try? Tag("sports")].compactMap { $0 })
        #expect(next(state, situation(record, appState: .backgroundWake), at: 100) == .idle(.backgroundWake))
        guard case .upload = next(state, situation(record, events: 2, appState: .backgroundWake), at: 100) else {
            Issue.record("events may leave")
            return
        }
    }

    @Test("REG-12: before a contact key is set nothing of any kind is uploaded")
    func waitsForContactKey() throws {
        let policy = SyncPolicy(waitsForContactKey: true)
        #expect(next(launched(), situation(events: 2), policy: policy) == .idle(.waitingForContactKey))
        var record = ContactRecord()
        record.contactKey = try ContactKey("anna")
        #expect(next(launched(), situation(record, events: 2), policy: policy) == .sendProperties)
    }

    @Test("WIRE-21: request orders only grow, whatever the clock does")
    func requestOrder() throws {
        var dice = DeviceDice(seed: 7)
        var state = SyncState()
        var last: Int64 = 0
        for _ in 0..<1_000 {
            let order = state.nextRequestOrder(now: at((dice.unit() - 0.5) * 1_000_000))
            #expect(order > last)
            last = order
            if dice.isLikely(0.1) { state = try restarted(state) }
        }
    }

    @Test("REG-4: the whole state survives a restart")
    func restart() throws {
        var record = ContactRecord()
        record.pushToken = token
        var state = settled(situation(record))
        _ = state.link.identify(key: "anna", field: "3", now: now)
        state.uploads.requestFlush()
        #expect(try restarted(state) == state)
    }
}
