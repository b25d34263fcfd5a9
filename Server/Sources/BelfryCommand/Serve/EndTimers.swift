import Dispatch

/// Runs the steps of a shutdown that takes too long at their time. They run on threads of their own, because the tasks
/// of other parts may block all the threads that there are.
struct EndTimers: Sendable {
    /// The steps of one lane run one after another; the two lanes run at the same time.
    enum Lane: Sendable {
        /// For the step that writes to the log, which hangs if nobody reads it.
        case line
        /// For steps that never wait for anything.
        case last
    }

    /// Runs a step on a lane after this time.
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
