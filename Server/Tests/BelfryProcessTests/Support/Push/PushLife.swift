import BelfrySimulators

/// One life of a server, as the push service counts it. It begins and ends while no server has a connection.
struct PushLife: Sendable {
    /// Pushes that the service took.
    private(set) var taken = 0
    /// Of those, the ones that it had not answered when their connection ended: in flight on the wire at the kill.
    private(set) var unanswered = 0
    /// Those that it answered after the last look at which all that it had answered was recorded: so many outcomes may have
    /// been under way to the ledger at the kill.
    private(set) var late = 0

    private let begin: APNsSimulator.Statistics

    init(at service: PushService) {
        begin = service.simulator.statistics
    }

    /// Of those that it took, the ones that it answered.
    var answered: Int { taken - unanswered }

    /// Waits until all that the service has answered by now is recorded. It has to become so while the server goes on, and
    /// whether or not the service answers anything more.
    ///
    /// - Returns: how many that are.
    func catchUp(_ service: PushService, _ server: ServerProcess, _ stage: Stage) async throws -> Int {
        let answered = service.simulator.statistics.answered - begin.answered
        try await eventually("\(answered) answers of this life are recorded", every: .milliseconds(5)) {
            try await stage.accepted(by: server)
        } until: {
            $0 >= answered
        }
        return answered
    }

    /// - Parameters:
    ///   - service: with the dead server's connections ended.
    ///   - recorded: of its answers, those that were recorded at the last look.
    func ended(at service: PushService, recorded: Int) -> PushLife {
        let end = service.simulator.statistics
        var life = self
        life.taken = end.accepted - begin.accepted
        life.unanswered = life.taken - (end.answered - begin.answered)
        life.late = life.answered - recorded
        return life
    }
}
