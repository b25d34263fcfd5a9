/// Which questions run, which wait, and which is next.
///
/// Only one of each group runs at a time, and each device has only one question, running or waiting. When a question
/// ends, another group is next: a caller with many questions delays only itself.
struct WaitingQuestions {
    enum Admission: Hashable, Sendable {
        case now
        case later
        case rejected
    }

    enum Status: Hashable, Sendable {
        case waiting
        case underWay
        case gone
    }

    private struct Entry {
        let id: UInt64
        let question: Question
    }

    private let limits: QuestionLimits
    private var underWay: [Entry] = []
    private var waiting: [Entry] = []
    private var nextID: UInt64 = 0

    init(limits: QuestionLimits) {
        self.limits = limits
    }

    var use: QuestionLaneUse { QuestionLaneUse(underWay: underWay.count, waiting: waiting.count) }

    mutating func add(_ question: Question) -> (id: UInt64, Admission) {
        nextID += 1
        let entry = Entry(id: nextID, question: question)
        if case .looking = question, (underWay + waiting).contains(where: { $0.question == question }) {
            return (entry.id, .rejected)
        }
        if case .spareCounting = question {
            return (entry.id, beginIfSpare(entry, hasPlace(for: question)))
        }
        if question == .explaining { return (entry.id, beginIfSpare(entry, isFree(question))) }
        if isFree(question) {
            underWay.append(entry)
            return (entry.id, .now)
        }
        // Rehearsals are few and not urgent, so the limit on waiting questions does not hold for them.
        guard question == .rehearsing || waiting.count < limits.waiting,
            waiting.count(where: { $0.question.group == question.group }) < mostWaiting(question)
        else { return (entry.id, .rejected) }
        waiting.append(entry)
        return (entry.id, .later)
    }

    /// Begins a question if a place is free that no other question waits for.
    private mutating func beginIfSpare(_ entry: Entry, _ isFree: Bool) -> Admission {
        guard isFree, waiting.isEmpty else { return .rejected }
        underWay.append(entry)
        return .now
    }

    func status(of id: UInt64) -> Status {
        if waiting.contains(where: { $0.id == id }) { return .waiting }
        return underWay.contains { $0.id == id } ? .underWay : .gone
    }

    /// Removes a waiting question.
    ///
    /// - Returns: false when it no longer waits.
    mutating func abandon(_ id: UInt64) -> Bool {
        guard let index = waiting.firstIndex(where: { $0.id == id }) else { return false }
        waiting.remove(at: index)
        return true
    }

    /// - Returns: the questions that begin now.
    mutating func end(_ id: UInt64) -> [UInt64] {
        guard let index = underWay.firstIndex(where: { $0.id == id }) else { return [] }
        let group = underWay.remove(at: index).question.group
        var begun: [UInt64] = []
        while let next = next(after: group) {
            begun.append(waiting[next].id)
            underWay.append(waiting.remove(at: next))
        }
        return begun
    }

    private func next(after group: Question.Group) -> Int? {
        waiting.firstIndex { $0.question.group != group && isFree($0.question) }
            ?? waiting.firstIndex { isFree($0.question) }
    }

    private func isFree(_ question: Question) -> Bool {
        hasPlace(for: question) && !underWay.contains { $0.question.group == question.group }
    }

    private func hasPlace(for question: Question) -> Bool {
        question == .planning || underWay.count(where: { $0.question != .planning }) < limits.places
    }

    private func mostWaiting(_ question: Question) -> Int {
        switch question {
        case .counting, .spareCounting: limits.waitingCounts
        case .looking: limits.waitingLooks
        case .explaining: 0
        case .planning, .rehearsing: limits.waiting
        }
    }
}

/// How many questions of a process run now, and how many wait.
package struct QuestionLaneUse: Hashable, Sendable {
    package let underWay: Int
    package let waiting: Int

    package init(underWay: Int, waiting: Int) {
        self.underWay = underWay
        self.waiting = waiting
    }
}
