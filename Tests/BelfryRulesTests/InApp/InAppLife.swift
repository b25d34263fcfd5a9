import BelfryModel
import BelfryRules
import Foundation
import Testing

/// A device at the hands of chance, with a screen, a person and a server that are simpler than the rules: what is really
/// on the screen, and how often each person has really seen each message.
struct InAppLife {
    /// The message on the screen, and when it was put there.
    private struct Shown {
        let id: String
        let person: Int
        var ticket: InAppPresentationID
    }

    private var dice: DeviceDice
    private let seed: UInt64
    var device: InAppDevice
    private var screen: Shown?
    /// A clock that nobody turns back.
    private var age: TimeInterval = 0
    private var leftScreenAt: TimeInterval?
    private var person = 0
    /// By person, message and epoch.
    private var seen: [String: Int] = [:]
    private var seenInSession = 0
    private(set) var displays = 0
    /// From a former run of the process, or a person who has left.
    private var stale: [InAppPresentationID] = []

    init(seed: UInt64) {
        self.seed = seed
        dice = DeviceDice(seed: seed)
        let candidates = (1...6).map { number in
            message("m\(number)", campaign: number, on: number.isMultiple(of: 2) ? "buy" : "look")
        }
        device = InAppDevice(candidates, policy: InAppPolicy(minimumGap: 30, maximumPerSession: 4))
        for place in device.situation.candidates.indices {
            device.situation.candidates[place].priority = Int(dice.next() % 3)
            device.situation.candidates[place].displayLimit = 1 + Int(dice.next() % 5)
            device.situation.candidates[place].delay = dice.isLikely(0.3) ? 20 : 0
            device.situation.candidates[place].trigger?.occurrence = dice.isLikely(0.3) ? 2 : nil
        }
        _ = device.messagesChange()
    }

    mutating func run(steps: Int) {
        for _ in 0..<steps {
            turn()
            #expect(device.rules.onScreen?.messageID == screen?.id, "seed \(seed)")
        }
    }

    private mutating func turn() {
        switch dice.next() % 16 {
        case 0...3: obey(device.step { [dice] in $0.happened(Self.events(dice), at: $1, in: $2, policy: $3) })
        case 4...6: pass(dice.pause(mean: 25))
        case 7: device.situation.isPaused = dice.isLikely(0.2)
        case 8: device.situation.isForeground = dice.isLikely(0.8)
        case 9: device.now -= dice.pause(mean: 1_000)
        case 10: edit()
        case 11: beginSession()
        case 12: kill()
        case 13 where dice.isLikely(0.2): changePerson()
        case 14: late()
        default: close()
        }
        if dice.isLikely(0.3) { device.step { rules, _, _, _ in rules.endDeferrals() } }
    }

    private static func events(_ dice: DeviceDice) -> [TriggerEvent] {
        var dice = dice
        let names = ["buy", "look", "other"].filter { _ in dice.isLikely(0.5) }
        return names.map { TriggerEvent(name: $0) }
    }

    private mutating func pass(_ seconds: TimeInterval) {
        device.now += seconds
        age += seconds
        obey(device.step { $0.timePassed(at: $1, in: $2, policy: $3) })
    }

    /// Does what was decided, and lets chance come between any two steps.
    private mutating func obey(_ decisions: [InAppDecision]) {
        for decision in decisions {
            switch decision {
            case .load(let ticket): load(ticket)
            case .present(let ticket): present(ticket)
            case .close(let ticket, _): takeOff(ticket)
            case .run: Issue.record("no message is of this type, seed \(seed)")
            case .notShown, .drop, .assumedShown: break
            }
        }
    }

    private mutating func load(_ ticket: InAppPresentationID) {
        #expect(screen == nil, "two at the same time, seed \(seed)")
        #expect(!device.situation.isPaused && device.situation.isForeground, "seed \(seed)")
        stale.append(ticket)
        switch dice.next() % 10 {
        case 0: obey(device.step { rules, _, _, _ in rules.vetoed(ticket).map { [$0] } ?? [] })
        case 1: obey(device.step { rules, _, _, _ in rules.deferred(ticket).map { [$0] } ?? [] })
        case 2:
            obey(device.step { rules, _, situation, _ in rules.loadFailed(ticket, in: situation).map { [$0] } ?? [] })
        case 3: kill()
        case 4: device.situation.isPaused = true
        case 5: edit()
        case 6: changePerson()
        default: break
        }
        obey(device.step { $0.mayPresent(ticket, at: $1, in: $2, policy: $3).map { [$0] } ?? [] })
    }

    private mutating func present(_ ticket: InAppPresentationID) {
        #expect(screen == nil && !device.situation.isPaused && device.situation.isForeground, "seed \(seed)")
        if let leftScreenAt, !ticket.isAsked { #expect(age - leftScreenAt >= 29.99, "seed \(seed)") }
        #expect(seenInSession < 4, "seed \(seed)")
        guard let candidate = device.situation.candidates.first(where: { $0.id == ticket.messageID }) else {
            Issue.record("a message that is gone, seed \(seed)")
            return
        }
        #expect(candidate.version == ticket.version, "seed \(seed)")
        let key = "\(person) \(candidate.id) \(candidate.displayEpoch)"
        #expect(seen[key, default: 0] < candidate.displayLimit, "beyond its limit, seed \(seed)")
        if dice.isLikely(0.1) { return kill() }
        if dice.isLikely(0.1) {
            obey(
                device.step { rules, now, situation, _ in
                    rules.screenMissing(ticket, at: now, in: situation).map { [$0] } ?? []
                })
            return
        }
        // From here on it is to be seen.
        seen[key, default: 0] += 1
        seenInSession += 1
        displays += 1
        screen = Shown(id: candidate.id, person: person, ticket: ticket)
        // The process dies before it can tell.
        if dice.isLikely(0.1) { return kill() }
        if dice.isLikely(0.1) { return changePerson() }
        let isShown = device.step { rules, now, _, _ in rules.shown(ticket, at: now) }
        #expect(isShown, "seed \(seed)")
    }

    private mutating func close() {
        guard let ticket = screen?.ticket else { return }
        takeOff(ticket)
    }

    private mutating func takeOff(_ ticket: InAppPresentationID) {
        guard screen?.ticket == ticket else { return }
        _ = device.step { rules, now, _, _ in rules.closed(ticket, at: now) }
        screen = nil
        leftScreenAt = age
    }

    private mutating func edit() {
        let place = Int(dice.next() % UInt64(device.situation.candidates.count))
        device.situation.candidates[place].version += 1
        let version = device.situation.candidates[place].version
        switch dice.next() % 4 {
        case 0: device.situation.candidates[place].displayEpoch = version
        case 1: device.situation.candidates[place].displayLimit = 1 + Int(dice.next() % 3)
        case 2: device.situation.candidates[place].trigger?.event = dice.isLikely(0.5) ? "buy" : "look"
        default: break
        }
        let isRecalled = dice.isLikely(0.1)
        let message = device.situation.candidates[place]
        if isRecalled { device.situation.candidates.remove(at: place) }
        obey(device.step { $0.messagesChanged(recalled: isRecalled ? [message.id] : [], at: $1, in: $2, policy: $3) })
        if isRecalled {
            #expect(screen?.id != message.id, "recalled, and still there, seed \(seed)")
            device.situation.candidates.append(message)
        }
    }

    private mutating func beginSession() {
        seenInSession = 0
        let event = TriggerEvent(name: "session:start")
        obey(device.step { $0.sessionStarted([event], at: $1, in: $2, policy: $3) })
    }

    private mutating func kill() {
        if screen != nil {
            screen = nil
            // The time when it was put there is the best estimate.
            leftScreenAt = nil
        }
        device.situation.isPaused = false
        obey(device.step { rules, _, _, _ in rules.launched() })
        #expect(device.rules.underWay == nil, "seed \(seed)")
    }

    private mutating func changePerson() {
        person += 1
        seenInSession = 0
        let owner = person
        obey(device.step { rules, now, _, _ in rules.personChanged(owner: owner, at: now) })
        screen = screen.flatMap { $0.person == owner ? $0 : nil }
    }

    /// The late result of a former attempt changes nothing.
    private mutating func late() {
        guard let ticket = stale.randomElement(using: &dice), ticket != device.rules.underWay else { return }
        let before = device.step { rules, _, _, _ in rules }
        let decision = device.step { $0.mayPresent(ticket, at: $1, in: $2, policy: $3) }
        let isShown = device.step { rules, now, _, _ in rules.shown(ticket, at: now) }
        let seconds = device.step { rules, now, _, _ in rules.closed(ticket, at: now) }
        #expect(decision == nil && !isShown && seconds == nil && device.rules == before, "seed \(seed)")
    }
}
