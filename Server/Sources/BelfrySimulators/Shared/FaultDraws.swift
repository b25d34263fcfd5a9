import Synchronization

/// The fault plan of a simulator and the number of the next request, shared by its connections.
final class FaultDraws: Sendable {
    /// The drawn fault of one request.
    struct Draw: Sendable, Equatable {
        var fault: FaultPlan.Fault?
        /// The delay of its response, unless the fault removes the response.
        var delay: Duration
        /// The value of `Retry-After` in seconds, when the fault rejects the request.
        var retryAfter: Int?
    }

    private struct State: Sendable {
        var plan: FaultPlan
        var requests: UInt64 = 0
        /// The number of requests since the plan was set.
        var sincePlan = 0
    }

    private let state: Mutex<State>

    init(_ plan: FaultPlan) {
        state = Mutex(State(plan: plan))
    }

    /// The number of requests after which a connection ends.
    var goAwayAfter: Int? { state.withLock { $0.plan.goAwayAfter } }

    /// Sets the plan. The numbering of requests continues.
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
