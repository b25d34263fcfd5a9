import BelfryCampaigns
import BelfryModel
import BelfryServerModel
import BelfryTestSupport
import Foundation
import Testing

/// PUSH-7: campaigns' silent pushes and the server's own take turns.
struct SilentPushTurnTests {
    @Test("IAM-15: a question alone waits for others and for its interval; what is known does not wait for it")
    func questions() {
        var state = SilentPushState()
        state.request(.question(.tags), at: deliveryEpoch)
        #expect(state.dueAt == deliveryEpoch + 10)
        let isRepeat = state.take(at: deliveryEpoch + 10, until: deliveryEpoch + 25)
        #expect(!isRepeat && state.sentAt == nil)
        let hasReason = state.answer(hasEntered: false, at: deliveryEpoch + 10)
        #expect(!hasReason && state.dueAt == nil && state.sentAt == nil && state.carried == [])
        state.request(.question(.events), at: deliveryEpoch + 20)
        #expect(state.dueAt == deliveryEpoch + 310)
        state.request(.inApp, at: deliveryEpoch + 30)
        #expect(state.dueAt == deliveryEpoch + 30)
    }

    @Test("IAM-15: an entrant is told, and the same push is repeated should the worker die")
    func entrant() {
        var state = SilentPushState()
        state.request(.question(.identity), at: deliveryEpoch)
        _ = state.take(at: deliveryEpoch + 10, until: deliveryEpoch + 25)
        // It died before the answer: the question is put again, and nothing has left.
        let isFirstRepeat = state.take(at: deliveryEpoch + 25, until: deliveryEpoch + 40)
        #expect(!isFirstRepeat)
        let hasReason = state.answer(hasEntered: true, at: deliveryEpoch + 25)
        #expect(hasReason && state.carried == .inApp && state.sentAt == deliveryEpoch + 25)
        let isRepeat = state.take(at: deliveryEpoch + 40, until: deliveryEpoch + 55)
        #expect(isRepeat && state.carried == .inApp)
    }

    @Test(
        "PUSH-7: in any order of campaigns, reasons, responses and kills, the budget holds and no reason is lost",
        arguments: Endurance.seeds(200, brief: 40))
    func anyOrder(seed: UInt64) {
        var life = SharedBudgetLife(seed: seed)
        for _ in 0..<150 { life.step() }
        life.comeToRest()
        #expect(life.complaints == [])
    }
}

/// One device, the server's own silent pushes, three campaigns, and workers that die.
private struct SharedBudgetLife {
    private enum Sender: Hashable {
        case server
        case campaign(CampaignID)
    }

    private struct Attempt {
        let sender: Sender
        let words: SilentPushReasons
        let leftAt: Date
        var isRepeat = false
    }

    private(set) var complaints: [String] = []
    private var dice: DeliveryDice
    private var state = SilentPushState()
    private var now = deliveryEpoch
    private var underWay: Attempt?
    /// The last that may have arrived.
    private var arrived: Attempt?
    /// Campaigns whose push has not ended, and since when it is due; the first merges.
    private var open: [CampaignID: Date] = [:]
    /// When a reason was last asked for, and when one last arrived that certainly carried it.
    private var askedAt: [SilentPushReasons: Date] = [:]
    private var servedAt: [SilentPushReasons: Date] = [:]

    init(seed: UInt64) {
        dice = DeliveryDice(seed: seed)
    }

    mutating func step() {
        switch dice.roll(8) {
        case 0: ask(dice.roll(3) == 0 ? .messageCenter : .inApp)
        case 1: if let id = CampaignID(Int64(dice.roll(3) + 1)), open[id] == nil { open[id] = now }
        case 2: now += Double(dice.roll(40))
        case 3: now += Double(dice.roll(2_000))
        case 4 where underWay != nil && dice.roll(3) == 0:
            arrived = underWay
            underWay = nil
        case 4,
            5 where underWay == nil:
            takeForCampaign()
        default: underWay == nil ? takeForServer() : answer(isAccepted: dice.roll(2) == 0)
        }
    }

    mutating func comeToRest() {
        if underWay != nil { answer(isAccepted: true) }
        for _ in 0..<40 {
            takeForCampaign()
            if underWay != nil { answer(isAccepted: true) }
            takeForServer()
            if underWay != nil { answer(isAccepted: true) }
            now += 1_200
        }
        if !open.isEmpty || state.dueAt != nil || state.waiting != [] || state.carried != [] {
            complaints.append("it never comes to rest: \(state), \(open)")
        }
        for (reason, moment) in askedAt where servedAt[reason].map({ $0 < moment }) ?? true {
            complaints.append("reason \(reason.rawValue) was lost")
        }
    }

    private mutating func ask(_ reason: SilentPushReasons) {
        state.request(reason, at: now)
        askedAt[reason] = now
        if state.dueAt == nil { complaints.append("a reason without a time") }
    }

    private mutating func takeForServer() {
        guard let due = state.dueAt, due <= now else { return }
        let isRepeat = state.take(at: now, until: now + 15)
        leave(Attempt(sender: .server, words: state.carried, leftAt: now, isRepeat: isRepeat))
        if state.carried.isEmpty { complaints.append("an empty push") }
    }

    private mutating func takeForCampaign() {
        for (id, since) in open.sorted(by: { $0.key < $1.key }) where underWay == nil {
            switch state.take(for: id, dueSince: since, merges: id.number == 1, at: now) {
            case .now(let along): leave(Attempt(sender: .campaign(id), words: along, leftAt: now))
            case .later(let date): if date <= now { complaints.append("a wait that is over") }
            case .merged:
                open[id] = nil
                if id.number != 1 { complaints.append("a push with words of its own was merged away") }
                if arrived.map({ $0.leftAt <= since }) ?? true { complaints.append("merged into nothing") }
            }
        }
    }

    private mutating func leave(_ attempt: Attempt) {
        if let arrived, now.timeIntervalSince(arrived.leftAt) < 1_200, arrived.sender != attempt.sender {
            complaints.append("beyond the budget: \(arrived) \(attempt)")
        }
        underWay = attempt
    }

    private mutating func answer(isAccepted: Bool) {
        guard let attempt = underWay else { return }
        underWay = nil
        let isLost = !isAccepted && dice.roll(2) == 0
        if isAccepted || isLost { arrived = attempt }
        if isAccepted {
            for reason in [SilentPushReasons.inApp, .messageCenter] where attempt.words.contains(reason) {
                servedAt[reason] = attempt.leftAt
            }
        }
        switch attempt.sender {
        case .server:
            let end: SilentPushEnd = isAccepted ? .accepted : .again(at: now + 60, mayHaveArrived: isLost)
            state.settle(end, isRepeat: attempt.isRepeat, at: now)
        case .campaign(let id):
            state.settle(isAccepted ? .accepted : isLost ? .unanswered : .over, of: id, at: now)
            if isAccepted { open[id] = nil }
        }
    }
}
