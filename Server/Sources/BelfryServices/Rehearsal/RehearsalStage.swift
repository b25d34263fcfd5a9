import BelfryServerModel
import BelfryStore
import Synchronization

/// The state of a rehearsal. Its pages are simulated one after the other, on any thread.
final class RehearsalStage: Sendable {
    private struct State {
        var player: RehearsalScene.Player
        var tally: RehearsalTally
    }

    private let state: Mutex<State>

    init(_ scene: RehearsalScene) {
        state = Mutex(State(player: scene.player, tally: RehearsalTally(launch: scene.launch)))
    }

    /// The number of devices in the audience so far.
    var audience: Int { state.withLock { $0.tally.audience } }

    /// - Returns: the part of the page that is stored.
    func play(_ input: RehearsalInput) -> RehearsalPage {
        state.withLock { state in
            let deliveries = state.player.play(input)
            return state.tally.add(deliveries, crowded: input.crowded)
        }
    }

    func figures(warnings: [String]) -> RehearsalFigures {
        state.withLock { $0.tally.figures(warnings: warnings + $0.player.warnings) }
    }
}
