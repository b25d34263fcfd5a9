/// What stands behind one connection of a provider to one environment.
struct APNsService: ConnectionService {
    let environment: APNsSimulator.Environment
    let reception: APNsReception
    private var session = ProviderSession()

    init(_ environment: APNsSimulator.Environment, _ reception: APNsReception) {
        self.environment = environment
        self.reception = reception
    }

    /// Apple: "APNs allows only one stream until you post a request with a valid authentication token."
    var allowsAllStreams: Bool { session.isAuthenticated }
    var goAwayAfter: Int? { reception.faults.goAwayAfter }
    var farewell: String { #"{"reason":"Shutdown"}"# }

    func opened() {
        reception.journal.connectionOpened()
    }

    func closed() {
        reception.journal.connectionClosed()
    }

    mutating func process(_ request: APNsRequest) -> Reply {
        reception.process(request, at: environment, &session)
    }
}
