import BelfryServerTestSupport
import BelfryStore
import BelfryTestSupport
import Testing

/// WIRE-26: who has the writer's next turn. Stories by chance, held against what was promised.
struct WaitingWritesTests {
    /// The writer, and what it has been asked to write.
    private struct Story {
        var waiting = WaitingWrites()
        var dice: SeededGenerator
        /// In the order in which they were asked for, until they are committed.
        var next: [(id: ObjectIdentifier, cost: Int)] = []
        var patient: [ObjectIdentifier] = []
        /// Kept, so that no other gets its identity.
        var writes: [Write<Int>] = []
        /// The writer was asked for a turn and has not taken it, or will ask for another by itself.
        var isAwake = false
        /// Commits of others while a patient one waits.
        var passed = 0
        /// A patient one waits, the writer rests, and will be woken.
        var isResting = false
        var lastWasOthers = false
        var committed = 0
        var rests = 0

        init(seed: UInt64) {
            dice = SeededGenerator(seed: seed)
        }

        mutating func add(_ turn: WritePriority) {
            let write = Write<Int>(isSynced: turn.isSynced, body: { _ in 0 }, mapError: { $0 }, completion: { _ in })
            writes.append(write)
            if turn.isPatient {
                patient.append(ObjectIdentifier(write))
            } else {
                next.append((ObjectIdentifier(write), turn.cost))
            }
            let isAsked = isAwake
            let mustAsk = waiting.add(write, turn: turn)
            // A turn that was already requested is not requested again.
            #expect(mustAsk == !isAsked)
            isAwake = true
        }

        /// The rest is over.
        mutating func wake() {
            isResting = false
            let isNeeded = !isAwake && !(next.isEmpty && patient.isEmpty)
            let mustAsk = waiting.wake()
            #expect(mustAsk == isNeeded)
            if mustAsk { isAwake = true }
        }

        mutating func takeTurn() {
            switch waiting.take() {
            case .commit(let group):
                let ids = group.map { ObjectIdentifier($0) }
                if let first = ids.first, patient.contains(first) { commitPatient(ids) } else { commitOthers(ids) }
                committed += ids.count
            case .rest:
                let mayRest = next.isEmpty && !patient.isEmpty && lastWasOthers
                #expect(mayRest)
                lastWasOthers = false
                isAwake = false
                isResting = true
                rests += 1
            case .nothing:
                let isDone = next.isEmpty && patient.isEmpty
                #expect(isDone)
                isAwake = false
            }
        }

        private mutating func commitPatient(_ ids: [ObjectIdentifier]) {
            let first = patient.removeFirst()
            #expect(ids == [first])
            let isItsTurn = next.isEmpty || passed >= WaitingWrites.maximumPassed
            #expect(isItsTurn)
            passed = 0
        }

        private mutating func commitOthers(_ ids: [ObjectIdentifier]) {
            let group = next.prefix(ids.count)
            #expect(ids == group.map(\.id) && (1...WaitingWrites.maximumGroup).contains(ids.count))
            let cost = group.reduce(0) { $0 + $1.cost }
            #expect(cost <= WaitingWrites.maximumCost || ids.count == 1)
            // No write waits longer than necessary.
            let follower = next.dropFirst(ids.count).first
            let isFull =
                ids.count == WaitingWrites.maximumGroup || cost + (follower?.cost ?? 0) > WaitingWrites.maximumCost
            let isWell = isFull || next.count == ids.count
            #expect(isWell)
            next.removeFirst(ids.count)
            passed = patient.isEmpty ? 0 : passed + 1
            let isPatient = passed <= WaitingWrites.maximumPassed
            #expect(isPatient)
            lastWasOthers = true
        }

        /// A write with a waiting caller; most cost little, some very much.
        mutating func addNext() {
            let most = [1, 1, 1, 50, 3_000, 2 * WaitingWrites.maximumCost][Int.random(in: 0..<6, using: &dice)]
            add(.next(cost: Int.random(in: 1...most, using: &dice)))
        }

        mutating func chance(_ part: Int, of whole: Int) -> Bool {
            Int.random(in: 0..<whole, using: &dice) < part
        }
    }

    @Test(
        "WIRE-26, PERF-5: every write has its turn once and in order; a patient one lets others pass",
        arguments: Endurance.seeds(20, brief: 5))
    func turns(seed: UInt64) {
        var story = Story(seed: seed)
        let (others, patients) = (Int.random(in: 1...8, using: &story.dice), Int.random(in: 0...3, using: &story.dice))
        for _ in 0..<3_000 {
            if story.chance(others, of: 10) { story.addNext() }
            if story.chance(1, of: 200) { for _ in 0..<1_200 { story.add(.next) } }
            if story.chance(patients, of: 20) { story.add(.patient) }
            if story.isResting, story.chance(1, of: 3) { story.wake() }
            if story.isAwake, story.chance(1, of: 2) { story.takeTurn() }
        }
        // The end: whatever waits has its turn.
        var turns = 0
        while story.isAwake || story.isResting, turns < 10_000 {
            if story.isAwake { story.takeTurn() } else { story.wake() }
            turns += 1
        }
        #expect(story.next.isEmpty && story.patient.isEmpty)
        #expect(story.committed == story.writes.count)
        if patients > 0 { #expect(story.rests > 0) }
    }

    @Test("WIRE-26, PERF-3: an expensive write has its own commit, and a free one counts as one")
    func costs() {
        #expect(WritePriority.next(cost: 0) == .next && WritePriority.next(cost: -1) == .next)
        #expect(!WritePriority.next(cost: 7).isPatient && WritePriority.patient.isPatient)
        var story = Story(seed: 0)
        let most = WaitingWrites.maximumCost
        for cost in [most - 1, 1, 1, most + 1, 5 * most, 1, most, 0] { story.add(.next(cost: cost)) }
        var groups: [Int] = []
        while !story.next.isEmpty {
            let before = story.committed
            story.takeTurn()
            groups.append(story.committed - before)
        }
        #expect(groups == [2, 1, 1, 1, 1, 1, 1])
    }

    @Test("PERF-5: a patient write lets exactly the given number of commits pass")
    func endless() {
        var story = Story(seed: 0)
        story.add(.patient)
        for _ in 0..<WaitingWrites.maximumPassed {
            story.add(.next)
            story.takeTurn()
            #expect(story.patient.count == 1)
        }
        story.add(.next)
        story.takeTurn()
        #expect(story.patient.isEmpty && story.next.count == 1)
    }

    @Test("FLEET-4: of a kind that is run in turn, all that wait go to one writer, and none to another meanwhile")
    func inTurn() throws {
        let call = JointCall<Int, Int>(isInTurn: true) { items, _ in items.map { .success($0) } }
        func joint() -> any PendingWrite {
            JointWrite(0, call, isSynced: true, mapError: { $0 }, completion: { _ in })
        }
        let other = Write<Int>(isSynced: true, body: { _ in 0 }, mapError: { $0 }, completion: { _ in })
        func taken(_ turn: WaitingWrites.Turn) -> [any PendingWrite] {
            if case .commit(let group) = turn { group } else { [] }
        }
        var waiting = WaitingWrites(writers: 2)
        let isAsked = waiting.add(joint(), turn: .next)
        let first = taken(waiting.take())
        #expect(isAsked && first.count == 1)
        let isAskedInVain = waiting.add(joint(), turn: .next)
        #expect(!isAskedInVain, "another writer could not begin")
        _ = waiting.add(joint(), turn: .next)
        let isAskedForOther = waiting.add(other, turn: .next)
        let second = taken(waiting.take())
        #expect(isAskedForOther && second.count == 1 && second.first === other)
        waiting.end(second)
        #expect(taken(waiting.take()).isEmpty, "the kind is still under way")
        waiting.end(first)
        #expect(taken(waiting.take()).count == 2)
    }

    @Test("PERF-5, FLEET-4: with several writers a patient write lets the given number of commits pass on each")
    func endlessOnSeveral() {
        func write() -> Write<Int> {
            Write<Int>(isSynced: true, body: { _ in 0 }, mapError: { $0 }, completion: { _ in })
        }
        var waiting = WaitingWrites(writers: 3)
        let patient = write()
        _ = waiting.add(patient, turn: .patient)
        var passed = 0
        while passed <= 3 * WaitingWrites.maximumPassed {
            _ = waiting.add(write(), turn: .next)
            guard case .commit(let group) = waiting.take() else {
                Issue.record("somebody waits")
                return
            }
            if group.contains(where: { $0 === patient }) { break }
            passed += 1
        }
        #expect(passed == 3 * WaitingWrites.maximumPassed)
    }

    @Test("WIRE-26, STO-2: of several writers only as many are used as there are, each with its own group")
    func severalWriters() {
        var waiting = WaitingWrites(writers: 3)
        let writes = (0..<2_000).map { _ in
            Write<Int>(isSynced: true, body: { _ in 0 }, mapError: { $0 }, completion: { _ in })
        }
        let asked = writes.map { waiting.add($0, turn: .next) }
        #expect(asked.count { $0 } == 3 && asked.prefix(3).allSatisfy { $0 })
        var committed: [ObjectIdentifier] = []
        var asleep = 0
        while asleep < 3 {
            switch waiting.take() {
            case .commit(let group): committed += group.map { ObjectIdentifier($0) }
            case .rest: Issue.record("nobody is patient")
            case .nothing: asleep += 1
            }
        }
        #expect(committed == writes.map { ObjectIdentifier($0) })
        let isWokenInVain = waiting.wake()
        #expect(!isWokenInVain)
        let isWoken = waiting.add(writes[0], turn: .patient)
        #expect(isWoken)
    }

    @Test("PERF-5: a patient write with nobody before it does not wait")
    func alone() {
        var story = Story(seed: 0)
        story.add(.patient)
        story.takeTurn()
        #expect(story.committed == 1 && story.rests == 0)
        story.takeTurn()
        // Behind others it waits once, and writes that arrive meanwhile go first.
        story.add(.next)
        story.takeTurn()
        story.add(.patient)
        story.takeTurn()
        #expect(story.rests == 1 && story.patient.count == 1)
        story.add(.next)
        story.takeTurn()
        #expect(story.next.isEmpty && story.patient.count == 1)
        story.takeTurn()
        #expect(story.rests == 2)
        story.wake()
        story.takeTurn()
        #expect(story.patient.isEmpty && story.committed == 4)
    }
}
