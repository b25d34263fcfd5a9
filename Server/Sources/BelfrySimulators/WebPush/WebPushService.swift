/// What stands behind one connection of an application server.
struct WebPushService: ConnectionService {
    let reception: WebPushReception
    /// Where the simulator listens, known once it does.
    let addresses: @Sendable () -> WebPushSimulator.Addresses?

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
        reception.process(request, origin: addresses()?.origin ?? "")
    }
}
