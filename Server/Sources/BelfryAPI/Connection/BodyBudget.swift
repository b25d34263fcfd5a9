import BelfryWire

/// How much memory all incomplete requests may hold together, and which of them end when they exceed it (SEC-12): first
/// the one that has made no progress for the longest time.
struct BodyBudget {
    /// In bytes.
    struct Limits: Hashable, Sendable {
        static let standard = Limits(total: 256 * 1_048_576)
        /// One body fits into a quarter of it and leaves room for others.
        static let minimumTotal = 16 * 1_048_576

        /// The limit for all callers together.
        let total: Int
        /// The limit for callers without a credential that this server issued.
        var unauthenticated: Int { total / 4 }

        init(total: Int) {
            self.total = max(total, Self.minimumTotal)
        }
    }

    private struct Holding {
        var bytes: Int
        let isKnown: Bool
        /// When it last made progress, counted in turns of this budget.
        var turn: UInt64
        /// The number of bytes it had received at that time.
        var mark: Int
    }

    /// The minimum bytes that a head and the buffers of a connection take.
    static let cost = 4_096
    /// A smaller step is no progress: a client that sends single bytes keeps its place in the queue.
    static let progress = 4_096

    let limits: Limits
    private(set) var unauthenticatedBytes = 0
    private(set) var knownBytes = 0
    private var holdings: [UInt64: Holding] = [:]
    private var unauthenticated = WaitingLine()
    private var known = WaitingLine()
    private var turn: UInt64 = 0

    init(limits: Limits) {
        self.limits = limits
    }

    /// The memory that a body of this many received bytes takes: a buffer grows to the next power of two, up to the
    /// largest body that is accepted.
    static func charge(forBytes count: Int) -> Int {
        let bounded = min(max(count, 1), WireLimits.maximumBodyBytes)
        return cost + (1 << (Int.bitWidth - (bounded - 1).leadingZeroBitCount))
    }

    /// Records how many bytes of its body a request has received so far.
    ///
    /// - Returns: the requests that must end, including this one only if it is alone. They no longer count.
    mutating func hold(_ id: UInt64, bytes count: Int, isKnown: Bool) -> [UInt64] {
        let charge = Self.charge(forBytes: count)
        turn += 1
        if var holding = holdings[id] {
            add(charge - holding.bytes, isKnown: holding.isKnown)
            holding.bytes = charge
            if count - holding.mark >= Self.progress {
                holding.mark = count
                holding.turn = turn
                queue(id, holding)
            }
            holdings[id] = holding
        } else {
            let holding = Holding(bytes: charge, isKnown: isKnown, turn: turn, mark: count)
            add(charge, isKnown: isKnown)
            holdings[id] = holding
            queue(id, holding)
        }
        return overdrawn()
    }

    /// The request is complete, or its connection has ended.
    mutating func release(_ id: UInt64) {
        guard let holding = holdings.removeValue(forKey: id) else { return }
        add(-holding.bytes, isKnown: holding.isKnown)
    }

    private mutating func overdrawn() -> [UInt64] {
        var ending: [UInt64] = []
        while unauthenticatedBytes > limits.unauthenticated, let id = oldest(in: \.unauthenticated)?.id {
            ending.append(id)
            release(id)
        }
        while unauthenticatedBytes + knownBytes > limits.total {
            let entries = [oldest(in: \.unauthenticated), oldest(in: \.known)].compactMap { $0 }
            guard let id = entries.min(by: { $0.turn < $1.turn })?.id else { break }
            ending.append(id)
            release(id)
        }
        return ending
    }

    private mutating func oldest(in line: WritableKeyPath<Self, WaitingLine>) -> WaitingLine.Entry? {
        let holdings = holdings
        return self[keyPath: line].first { holdings[$0.id]?.turn == $0.turn }
    }

    private mutating func queue(_ id: UInt64, _ holding: Holding) {
        let entry = WaitingLine.Entry(id: id, turn: holding.turn)
        let limit = 2 * holdings.count + 64
        let current = holdings
        if holding.isKnown {
            known.append(entry)
            known.tidy(beyond: limit) { current[$0.id]?.turn == $0.turn || $0 == entry }
        } else {
            unauthenticated.append(entry)
            unauthenticated.tidy(beyond: limit) { current[$0.id]?.turn == $0.turn || $0 == entry }
        }
    }

    private mutating func add(_ bytes: Int, isKnown: Bool) {
        if isKnown { knownBytes += bytes } else { unauthenticatedBytes += bytes }
    }
}

/// Requests in the order of their last progress, the longest wait first. An outdated entry stays until it comes to the
/// front or there are too many.
struct WaitingLine {
    struct Entry: Hashable {
        let id: UInt64
        let turn: UInt64
    }

    private var entries: [Entry] = []
    private var head = 0

    var count: Int { entries.count - head }

    mutating func append(_ entry: Entry) {
        entries.append(entry)
    }

    /// The first valid entry; outdated ones before it are dropped.
    mutating func first(where counts: (Entry) -> Bool) -> Entry? {
        while head < entries.count, !counts(entries[head]) { head += 1 }
        if head > entries.count / 2 {
            entries.removeFirst(head)
            head = 0
        }
        return head < entries.count ? entries[head] : nil
    }

    mutating func tidy(beyond limit: Int, keeping counts: (Entry) -> Bool) {
        guard count > limit else { return }
        entries = entries[head...].filter(counts)
        head = 0
    }
}
