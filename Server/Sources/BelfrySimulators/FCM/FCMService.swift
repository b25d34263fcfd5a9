/// What stands behind one connection of a sender.
struct FCMService: ConnectionService {
    let reception: FCMReception
    /// Where the simulator listens, known once it does.
    let addresses: @Sendable () -> FCMSimulator.Addresses?

    var allowsAllStreams: Bool { true }
    var goAwayAfter: Int? { reception.faults.goAwayAfter }
    var farewell: String { "" }

    func opened() {
        reception.journal.connectionOpened()
    }

    func closed() {
        reception.journal.connectionClosed()
    }

    func process(_ request: PlainRequest) -> Reply {
        reception.process(request, tokenURI: { addresses()?.tokenURI ?? "" })
    }
}
