/// What the queue holds, counted as events come and go, so that nobody reads the queue to know.
struct QueueTally: Sendable {
    var count = 0
    var bytes = 0
    /// False until the backlog of former runs was counted: after the start, off the calling thread (PERF-9).
    var isComplete = false

    mutating func add(bytes added: Int) {
        count += 1
        bytes += added
    }

    mutating func remove(count removed: Int, bytes size: Int) {
        // Events of the backlog may leave before the backlog was counted.
        count = max(0, count - removed)
        bytes = max(0, bytes - size)
    }
}

/// What the queue held before and after an event came.
struct QueueGrowth: Sendable {
    let before: QueueTally
    let after: QueueTally
    /// How many of the oldest went because the queue was full.
    let dropped: Int
    /// Whether it came: while no events are recorded none does (REG-36).
    var isTaken = true
}

extension QueueGrowth {
    /// The event was not taken.
    init(unchanged tally: QueueTally) {
        self.init(before: tally, after: tally, dropped: 0, isTaken: false)
    }
}
