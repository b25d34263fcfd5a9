import Dispatch

/// Where the steps of an end that takes too long wait for their moment: on threads of their own, because the tasks of the
/// others may hold every thread there is.
struct EndTimers: Sendable {
    /// The steps of one lane run one after another, those of two at the same time.
    enum Lane: Sendable {
        /// Writes to the log, and hangs if nobody reads it.
        case line
        /// Never waits for anybody.
        case last
    }

    /// Runs a step on a lane, so long from now.
    let after: @Sendable (_ lane: Lane, _ time: Duration, _ step: @escaping @Sendable () -> Void) -> Void

    static func live() -> EndTimers {
        let line = DispatchQueue(label: "belfry.end")
        let last = DispatchQueue(label: "belfry.end.last")
        return EndTimers { lane, time, step in
            let queue =
                switch lane {
                case .line: line
                case .last: last
                }
            let (seconds, attoseconds) = time.components
            let nanoseconds = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
            queue.asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { step() }
        }
    }
}
