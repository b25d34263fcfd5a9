/// What a predicate is evaluated for. What that costs depends on what somebody has composed and on what others have
/// stored, so it has a lane of its own and a budget (SEC-8).
package enum Question: Hashable, Sendable {
    /// Somebody waits for an app's figures: a count, a preview, a dry run.
    case counting(app: Int64)
    /// The same, at once or not at all: it takes a place that nobody waits for.
    case spareCounting(app: Int64)
    /// Somebody asks what a device lacks of an audience: at once or not at all, for what a look may cost, and one at a time
    /// of all apps. It keeps no device and no count waiting where there are two places.
    case explaining
    /// A device waits for its messages.
    case looking(device: Int64, app: Int64)
    /// A campaign's audience comes into the ledger.
    case planning
    /// A campaign is rehearsed, page by page: it takes turns with callers and stands in no launch's way (CON-13).
    case rehearsing

    /// One of each group at a time.
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

/// How many questions are under way at once, how many wait, and what each may cost.
package struct QuestionLimits: Sendable {
    /// Those of callers; planning has one more for itself.
    package var places = 2
    /// Of one app.
    package var waitingCounts = 4
    package var waitingLooks = 64
    /// Of all apps.
    package var waiting = 256
    /// Nanoseconds.
    package var countingBudget: UInt64 = 10_000_000_000
    package var lookingBudget: UInt64 = 1_000_000_000
    package var planningBudget: UInt64 = 5_000_000_000
    /// Nanoseconds of a clock that is never set.
    package var clock: @Sendable () -> UInt64
    /// Runs the questions for which nobody waits, those of rehearsals, on SQLite (PERF-13).
    package var background = JobQueue.threads
    /// Lets a thread that waits for this one's processor have it for a moment. Counts call it again and again: by itself
    /// the system lets others wait for some milliseconds, at each step of a page (PERF-12).
    package var letOthersRun: (@Sendable () -> Void)?

    package init(clock: @escaping @Sendable () -> UInt64) {
        self.clock = clock
    }

    /// How many are under way at once.
    package var most: Int { places + 1 }

    /// By what the cost of a question is told.
    func clock(of question: Question) -> @Sendable () -> UInt64 {
        // It may wait for a processor as long as others want one, and is no more expensive for it.
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
