import Synchronization

@testable import BelfryCommand

/// The timers of an end, whose time a test moves on. What is due runs when the test says so, in the order that it wants:
/// as on a machine that stands still and then starts all of it at once.
final class ScriptedTimers: Sendable {
    private struct Step: Sendable {
        let lane: EndTimers.Lane
        let due: Duration
        let run: @Sendable () -> Void
    }

    private struct State {
        var now = Duration.zero
        var steps: [Step] = []
    }

    private let state = Mutex(State())

    var now: Duration { state.withLock { $0.now } }

    var timers: EndTimers {
        EndTimers { lane, time, run in
            self.state.withLock { state in
                let due = state.now + time
                state.steps.append(Step(lane: lane, due: due, run: run))
            }
        }
    }

    func pass(_ time: Duration) {
        state.withLock { $0.now += time }
    }

    /// Runs what is due on a lane.
    func run(_ lane: EndTimers.Lane) {
        let due = state.withLock { state in
            let now = state.now
            let due = state.steps.filter { $0.lane == lane && $0.due <= now }
            state.steps.removeAll { $0.lane == lane && $0.due <= now }
            return due
        }
        for step in due { step.run() }
    }
}
