/// The purpose for which a predicate is evaluated. The cost depends on the predicate and on the stored data, both of
/// which come from outside, so questions have separate connections and a budget (SEC-8).
package enum Question: Hashable, Sendable {
    /// An operator waits for an app's figures: a count, a preview, a dry run.
    case counting(app: Int64)
    /// A count that runs only if a place is free that no other question waits for; otherwise it fails immediately.
    case spareCounting(app: Int64)
    /// An operator asks why a device is not in an audience. It runs immediately or fails, has the same budget as
    /// ``looking(device:app:)``, and only one runs at a time over all apps. With two places, it delays no device and no
    /// count.
    case explaining
    /// A device waits for its messages.
    case looking(device: Int64, app: Int64)
    /// A campaign's audience is written to the ledger.
    case planning
    /// A campaign is rehearsed, page by page. It takes turns with callers and delays no launch (CON-13).
    case rehearsing

    /// Groups of questions, of which one runs at a time.
    enum Group: Hashable, Sendable {
        case counting(app: Int64)
        case explaining
        case looking(app: Int64)
        case planning
        case rehearsing
    }

    var group: Group {
        switch self {
        case .counting(let app), .spareCounting(let app): .counting(app: app)
        case .explaining: .explaining
        case .looking(_, let app): .looking(app: app)
        case .planning: .planning
        case .rehearsing: .rehearsing
        }
    }
}

/// How many questions run at the same time, how many wait, and what each may cost.
package struct QuestionLimits: Sendable {
    /// Places for callers' questions; planning has one more of its own.
    package var places = 2
    /// The most counts of one app that wait.
    package var waitingCounts = 4
    package var waitingLooks = 64
    /// The most questions that wait, over all apps.
    package var waiting = 256
    /// The budget of a count, in nanoseconds.
    package var countingBudget: UInt64 = 10_000_000_000
    package var lookingBudget: UInt64 = 1_000_000_000
    package var planningBudget: UInt64 = 5_000_000_000
    /// A monotonic clock, in nanoseconds.
    package var clock: @Sendable () -> UInt64
    /// Runs questions for which no caller waits, those of rehearsals, on SQLite (PERF-13).
    package var background = JobQueue.threads
    /// Yields the processor to waiting threads for a moment. Counts call it again and again: otherwise the system lets
    /// other threads wait for some milliseconds, at each step of a page (PERF-12).
    package var letOthersRun: (@Sendable () -> Void)?

    package init(clock: @escaping @Sendable () -> UInt64) {
        self.clock = clock
    }

    /// The most questions that run at the same time.
    package var most: Int { places + 1 }

    /// The clock that measures the cost of a question.
    func clock(of question: Question) -> @Sendable () -> UInt64 {
        // A rehearsal may wait for a processor while others need it; that wait does not count as its cost.
        question == .rehearsing ? background.clock ?? clock : clock
    }

    func budget(of question: Question) -> UInt64 {
        switch question {
        case .counting, .spareCounting: countingBudget
        case .explaining, .looking: lookingBudget
        case .planning, .rehearsing: planningBudget
        }
    }
}
