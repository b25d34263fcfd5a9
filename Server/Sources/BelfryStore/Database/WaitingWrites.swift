/// The writes that wait for a writer, and who goes first.
///
/// An engine may have several writers: each takes its turns, and a patient write has one of them for itself.
///
/// Patient ones let the others pass: they begin when the writer had nothing else for a moment, or when enough others
/// have gone before them. So a burst of registrations is received at full speed and processed behind it.
package struct WaitingWrites {
    /// How many writes share a commit at most.
    package static let maximumGroup = 512
    /// What the writes that share a commit cost together at most: as much as the largest upload alone. Bounds how long
    /// the first of them waits. A write that costs more has a commit for itself.
    package static let maximumCost = 10_000
    /// So many commits of others a patient write lets pass, on each of the writers.
    package static let maximumPassed = 16

    /// What a writer does next.
    package enum Turn {
        /// Commits these together. A patient one has a commit for itself: it may be long.
        case commit([any PendingWrite])
        /// Only patient ones wait, right after others: more may be about to come. Ask again in a moment.
        case rest
        case nothing
    }

    private var next: [(write: any PendingWrite, cost: Int)] = []
    private var patient: [any PendingWrite] = []
    /// Kinds that a writer is at, and that no other may begin with meanwhile.
    private var underWay: Set<ObjectIdentifier> = []
    /// Commits since a patient write had its turn, or since it began to wait.
    private var passed = 0
    /// Others had the last turn.
    private var isRestless = false
    /// How many writers there are.
    private let writers: Int
    /// So many of them were asked for a turn and have not taken it, or are at work.
    private var awake = 0

    package init(writers: Int = 1) {
        self.writers = max(writers, 1)
    }

    /// - Returns: whether a writer is to be asked for a turn.
    package mutating func add(_ write: any PendingWrite, turn: WritePriority) -> Bool {
        if turn.isPatient {
            patient.append(write)
        } else {
            next.append((write, turn.cost))
        }
        return wake()
    }

    /// - Returns: whether a writer is to be asked for a turn: something waits and one of them sleeps.
    package mutating func wake() -> Bool {
        guard awake < writers, hasNext || !patient.isEmpty else { return false }
        awake += 1
        return true
    }

    /// What a writer does in its turn. Unless it commits, it sleeps until it is woken.
    package mutating func take() -> Turn {
        let hasNext = hasNext
        let isPatientsTurn = !patient.isEmpty && (!hasNext || passed >= mostPassed)
        if isPatientsTurn, !hasNext, isRestless, passed < mostPassed {
            isRestless = false
            awake -= 1
            return .rest
        }
        if isPatientsTurn {
            passed = 0
            return .commit([patient.removeFirst()])
        }
        guard hasNext else {
            awake -= 1
            return .nothing
        }
        passed = patient.isEmpty ? 0 : passed + 1
        isRestless = true
        return .commit(takeGroup())
    }

    private var mostPassed: Int { Self.maximumPassed * writers }

    /// A writer is done with a group, whatever it came to. In its next turn it may take those that waited for that.
    package mutating func end(_ group: [any PendingWrite]) {
        for write in group where write.isInTurn {
            if let kind = write.kind { underWay.remove(kind) }
        }
    }

    private mutating func takeGroup() -> [any PendingWrite] {
        var group: [any PendingWrite] = []
        var held: [(write: any PendingWrite, cost: Int)] = []
        var cost = 0
        var seen = 0
        for waiting in next {
            guard group.count < Self.maximumGroup else { break }
            guard !isHeld(waiting.write) else {
                seen += 1
                held.append(waiting)
                continue
            }
            cost += waiting.cost
            guard group.isEmpty || cost <= Self.maximumCost else { break }
            seen += 1
            group.append(waiting.write)
        }
        next.replaceSubrange(..<seen, with: held)
        for write in group where write.isInTurn {
            if let kind = write.kind { underWay.insert(kind) }
        }
        return group
    }

    /// Whether one of those that wait may begin.
    private var hasNext: Bool { next.contains { !isHeld($0.write) } }

    private func isHeld(_ write: any PendingWrite) -> Bool {
        !underWay.isEmpty && write.isInTurn && write.kind.map(underWay.contains) == true
    }
}
