import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Foundation
import Testing

struct SilentPushStateTests {
    private static let lease: TimeInterval = 15

    private static func taken(_ state: inout SilentPushState, at now: Date) -> Bool {
        state.take(at: now, until: now.addingTimeInterval(lease))
    }

    @Test("PUSH-7: the first goes at once, the next 20 minutes later, however many reasons there are")
    func budget() {
        var state = SilentPushState()
        state.request(.inApp, at: deliveryEpoch)
        #expect(state.dueAt == deliveryEpoch)
        let isRepeat = Self.taken(&state, at: deliveryEpoch)
        #expect(!isRepeat && state.carried == .inApp)
        state.request(.inApp, at: deliveryEpoch)
        state.request(.messageCenter, at: deliveryEpoch)
        state.settle(.accepted, isRepeat: isRepeat, at: deliveryEpoch.addingTimeInterval(1))
        #expect(state.dueAt == deliveryEpoch.addingTimeInterval(1_201))
        #expect(state.waiting == [.inApp, .messageCenter] && state.carried == [])
    }

    @Test("PUSH-7: a clock that was set back delays a push no longer than the budget")
    func clockSetBack() {
        let later = deliveryEpoch.addingTimeInterval(86_400)
        #expect(SilentPushBudget.nextDate(after: later, now: deliveryEpoch) == deliveryEpoch.addingTimeInterval(1_200))
        #expect(SilentPushBudget.nextDate(after: nil, now: deliveryEpoch) == deliveryEpoch)
        let earlier = deliveryEpoch.addingTimeInterval(-1_200)
        #expect(SilentPushBudget.nextDate(after: earlier, now: deliveryEpoch) == deliveryEpoch)
    }

    @Test("PUSH-7, REL-6: what is due before the budget has room waits for it, if it is no repetition")
    func heldBack() {
        let (now, room) = (deliveryEpoch, deliveryEpoch.addingTimeInterval(1_140))
        var early = SilentPushState(waiting: .inApp, dueAt: now, sentAt: now - 60)
        let isHeldBack = early.holdBack(at: now)
        #expect(isHeldBack && early.dueAt == room)
        let isStillHeldBack = early.holdBack(at: room)
        #expect(!isStillHeldBack && early.dueAt == room)
        for sentAt in [nil, now - 1_200, now + 86_400] as [Date?] {
            var due = SilentPushState(waiting: .inApp, dueAt: now, sentAt: sentAt)
            let isDueHeldBack = due.holdBack(at: now)
            #expect(!isDueHeldBack && due.dueAt == now)
        }
        var repeated = SilentPushState(carried: .inApp, dueAt: now, sentAt: now - 60)
        let isRepeatHeldBack = repeated.holdBack(at: now)
        #expect(!isRepeatHeldBack)
        // A campaign's push has woken the device.
        var along = SilentPushState(carried: .inApp, campaign: CampaignID(7), dueAt: now, sentAt: now - 60)
        let isAlongHeldBack = along.holdBack(at: now)
        #expect(isAlongHeldBack && along.dueAt == room)
    }

    @Test("PUSH-7: a push that certainly did not arrive does not count, and takes new reasons under its id")
    func merged() {
        var state = SilentPushState()
        state.request(.inApp, at: deliveryEpoch)
        let isRepeat = Self.taken(&state, at: deliveryEpoch)
        let number = state.number
        let retry = deliveryEpoch.addingTimeInterval(1)
        state.settle(.again(at: retry, mayHaveArrived: false), isRepeat: isRepeat, at: deliveryEpoch)
        #expect(state.sentAt == nil && state.dueAt == retry)
        state.request(.messageCenter, at: deliveryEpoch)
        let isSecondRepeat = Self.taken(&state, at: retry)
        #expect(!isSecondRepeat && state.carried == [.inApp, .messageCenter] && state.number == number)
    }

    @Test("PUSH-7: each outcome ends an attempt, or delays it for an hour at most")
    func ends() {
        var dice = DeliveryDice(seed: 7)
        for _ in 0..<5_000 {
            let state = SilentPushState(
                carried: .inApp, triedAt: deliveryEpoch, sentAt: deliveryEpoch, number: 1, attempts: dice.roll(15)
            )
            let now = deliveryEpoch.addingTimeInterval(Double(dice.roll(4_000)))
            let outcome = dice.outcome(near: now)
            switch SilentPushEnd.after(outcome, state, now: now, random: dice.fraction()) {
            case .accepted: #expect(outcome == .accepted)
            case .again(let date, let mayHaveArrived):
                #expect(date >= now && date <= max(now, deliveryEpoch.addingTimeInterval(3_600)))
                if case .unanswered = outcome { #expect(mayHaveArrived) } else { #expect(!mayHaveArrived) }
            case .dropped(_, let mayHaveArrived):
                #expect(outcome != .accepted)
                if case .unanswered = outcome { #expect(mayHaveArrived) } else { #expect(!mayHaveArrived) }
            }
        }
    }

    @Test(
        "PUSH-7: in any order of reasons, responses and kills, each reason is sent later or dropped, within the budget",
        arguments: Endurance.seeds(200, brief: 40))
    func anyOrder(seed: UInt64) {
        var life = SilentPushLife(seed: seed)
        for _ in 0..<120 { life.step() }
        life.comeToRest()
        #expect(life.complaints == [])
        #expect(life.open.isEmpty)
    }
}

/// The silent pushes of one device, with a worker that dies, and their invariants.
private struct SilentPushLife {
    private struct Attempt {
        let number: Int64
        let words: SilentPushReasons
        let leftAt: Date
        let isRepeat: Bool
        /// How many reasons had been asked for when the push was first made.
        let asked: Int
    }

    private(set) var complaints: [String] = []
    /// Reasons that no push has carried since, nor has been dropped with, by the order in which they came.
    private(set) var open: [(order: Int, reason: SilentPushReasons)] = []
    private var dice: DeliveryDice
    private var state = SilentPushState()
    private var now = deliveryEpoch
    private var asked = 0
    private var underWay: Attempt?
    /// Whatever became of it.
    private var last: Attempt?
    /// The last that may have arrived.
    private var arrived: Attempt?

    init(seed: UInt64) {
        dice = DeliveryDice(seed: seed)
    }

    mutating func step() {
        switch dice.roll(6) {
        case 0: ask(dice.roll(3) == 0 ? .messageCenter : .inApp)
        case 1: now += Double(dice.roll(40))
        case 2: now += Double(dice.roll(2_000))
        case 3 where underWay != nil && dice.roll(3) == 0:
            // Killed: it may have left.
            arrived = underWay
            underWay = nil
        default: underWay == nil ? take() : answer(dice.outcome(near: now))
        }
    }

    /// Everything that is owed is sent, and the push service is well.
    mutating func comeToRest() {
        if underWay != nil { answer(.accepted) }
        for _ in 0..<10 {
            guard let due = state.dueAt else { return }
            now = max(now, due)
            take()
            answer(.accepted)
        }
        complaints.append("it never comes to rest")
    }

    private mutating func ask(_ reason: SilentPushReasons) {
        state.request(reason, at: now)
        open.append((asked, reason))
        asked += 1
    }

    private mutating func take() {
        guard let due = state.dueAt, due <= now else { return }
        let isRepeat = state.take(at: now, until: now + 15)
        let attempt = Attempt(
            number: state.number, words: state.carried, leftAt: now, isRepeat: isRepeat,
            asked: isRepeat ? last?.asked ?? 0 : asked
        )
        last = attempt
        if attempt.words.isEmpty { complaints.append("an empty push") }
        if let arrived {
            if arrived.number == attempt.number {
                if arrived.words != attempt.words { complaints.append("a repeat that says something else") }
            } else {
                if arrived.number > attempt.number { complaints.append("a name that is no greater") }
                if now.timeIntervalSince(arrived.leftAt) < 1_200 { complaints.append("beyond the budget") }
            }
        }
        underWay = attempt
    }

    private mutating func answer(_ outcome: PushOutcome) {
        guard let attempt = underWay else { return }
        underWay = nil
        let end = SilentPushEnd.after(outcome, state, now: now, random: dice.fraction())
        state.settle(end, isRepeat: attempt.isRepeat, at: now)
        switch end {
        case .accepted, .dropped:
            if end == .accepted { arrived = attempt }
            if case .dropped(_, true) = end { arrived = attempt }
            open.removeAll { $0.order < attempt.asked && attempt.words.contains($0.reason) }
        case .again(_, let mayHaveArrived):
            if mayHaveArrived { arrived = attempt }
        }
    }
}
