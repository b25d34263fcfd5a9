/// The writes that wait for a writer, and their order.
///
/// An engine may have several writers; each takes groups of writes in turn, and a patient write is a group of its own.
///
/// Patient writes let others go first: they begin when the writer had nothing else for a moment, or when enough other
/// commits have gone before. So a burst of registrations is received at full speed and processed afterwards.
package struct WaitingWrites {
    /// The most writes that share a commit.
    package static let maximumGroup = 512
    /// The most that the writes of a commit cost together: as much as the largest upload alone. It limits how long the
    /// first of them waits. A write that costs more has a commit of its own.
    package static let maximumCost = 10_000
    /// How many commits of other writes go before a patient write, for each writer.
    package static let maximumPassed = 16

    /// The next action of a writer.
    package enum Turn {
        /// Commit these writes together. A patient write has a commit of its own: it may be long.
        case commit([any PendingWrite])
        /// Only patient writes wait, directly after other writes: more of those may be about to arrive. Ask again in a
        /// moment.
        case rest
        case nothing
    }

    private var next: [(write: any PendingWrite, cost: Int)] = []
    private var patient: [any PendingWrite] = []
    /// Kinds that a writer is running, and that no other writer may begin meanwhile.
    private var underWay: Set<ObjectIdentifier> = []
    /// Commits since the last patient write, or since a patient write began to wait.
    private var passed = 0
    /// The last commit was not of a patient write.
    private var isRestless = false
    /// How many writers there are.
    private let writers: Int
    /// How many writers are at work, or were requested and have not begun.
    private var awake = 0

    package init(writers: Int = 1) {
        self.writers = max(writers, 1)
    }

    /// - Returns: whether a writer must be woken.
    package mutating func add(_ write: any PendingWrite, turn: WritePriority) -> Bool {
        if turn.isPatient {
            patient.append(write)
        } else {
            next.append((write, turn.cost))
        }
        return wake()
    }

    /// - Returns: whether a writer must be woken: a write waits and a writer sleeps.
    package mutating func wake() -> Bool {
        guard awake < writers, hasNext || !patient.isEmpty else { return false }
        awake += 1
        return true
    }

    /// The next action of a writer. Unless it is a commit, the writer sleeps until it is woken.
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

    /// Ends a group, whether it succeeded or not. The writer's next group may contain writes that waited for this one.
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

    /// Whether one of the waiting writes may begin.
    private var hasNext: Bool { next.contains { !isHeld($0.write) } }

    private func isHeld(_ write: any PendingWrite) -> Bool {
        !underWay.isEmpty && write.isInTurn && write.kind.map(underWay.contains) == true
    }
}
