import Synchronization

/// The plan of a simulator and the number of the next request, shared by its connections.
final class FaultDraws: Sendable {
    /// What happens to one request.
    struct Draw: Sendable, Equatable {
        var fault: FaultPlan.Fault?
        /// How late its answer is, unless the fault takes the answer away.
        var delay: Duration
        /// Seconds that `Retry-After` says when the fault refuses.
        var retryAfter: Int?
    }

    private struct State: Sendable {
        var plan: FaultPlan
        var requests: UInt64 = 0
        /// Requests since the plan was set.
        var sincePlan = 0
    }

    private let state: Mutex<State>

    init(_ plan: FaultPlan) {
        state = Mutex(State(plan: plan))
    }

    /// After how many requests a connection is ended.
    var goAwayAfter: Int? { state.withLock { $0.plan.goAwayAfter } }

    /// The numbers of requests go on.
    func set(_ plan: FaultPlan) {
        state.withLock { state in
            state.plan = plan
            state.sincePlan = 0
        }
    }

    func draw() -> Draw {
        state.withLock { state in
            state.requests += 1
            state.sincePlan += 1
            if let limit = state.plan.silentAfter, state.sincePlan > limit {
                return Draw(fault: .noAnswer, delay: .zero, retryAfter: nil)
            }
            let fault = state.plan.fault(forRequest: state.requests)
            let slowness = fault == .slowAnswer ? state.plan.slowAnswer : .zero
            return Draw(fault: fault, delay: state.plan.latency + slowness, retryAfter: state.plan.retryAfter)
        }
    }
}
