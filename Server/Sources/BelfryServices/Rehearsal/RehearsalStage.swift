import BelfryServerModel
import BelfryStore
import Synchronization

/// How far a rehearsal has come. Its pages are played one after the other, on whichever thread.
final class RehearsalStage: Sendable {
    private struct State {
        var player: RehearsalScene.Player
        var tally: RehearsalTally
    }

    private let state: Mutex<State>

    init(_ scene: RehearsalScene) {
        state = Mutex(State(player: scene.player, tally: RehearsalTally(launch: scene.launch)))
    }

    /// Devices of the audience so far.
    var audience: Int { state.withLock { $0.tally.audience } }

    /// - Returns: what is kept of the page.
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
