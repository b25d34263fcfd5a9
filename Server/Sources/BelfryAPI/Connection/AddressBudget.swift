import BelfryServices

/// Counts the connections of each address and chooses which one to close when there are too many (SEC-9): the one that
/// has been idle, or has not read its responses, for the longest time. So nobody behind a shared address is turned
/// away.
struct AddressBudget {
    /// Per address; an IPv6 network of 64 bits counts as one.
    static let standard = 1_000

    enum Admission {
        case admitted
        /// Another connection of the address is closed instead.
        case admittedFor(OpenConnection)
        /// All others of the address are being answered, and their clients read the responses.
        case refused
    }

    let maximum: Int
    private var connections: [IPAddress: [UInt64: OpenConnection]] = [:]

    init(maximum: Int) {
        self.maximum = maximum
    }

    func count(of network: IPAddress) -> Int {
        connections[network]?.count ?? 0
    }

    mutating func open(_ connection: OpenConnection, from network: IPAddress) -> Admission {
        guard count(of: network) >= maximum else {
            connections[network, default: [:]][connection.id] = connection
            return .admitted
        }
        guard let idlest = idlest(of: network) else { return .refused }
        connections[network]?[idlest.id] = nil
        connections[network, default: [:]][connection.id] = connection
        return .admittedFor(idlest)
    }

    /// Counts a connection again that was chosen but stays open, even beyond the maximum.
    mutating func restore(_ connection: OpenConnection, from network: IPAddress) {
        connections[network, default: [:]][connection.id] = connection
    }

    mutating func close(_ connection: OpenConnection, from network: IPAddress) {
        connections[network]?[connection.id] = nil
        if connections[network]?.isEmpty == true { connections[network] = nil }
    }

    private func idlest(of network: IPAddress) -> OpenConnection? {
        var idlest: (connection: OpenConnection, since: UInt64)?
        for connection in (connections[network] ?? [:]).values {
            guard let since = connection.idleSince, since < idlest?.since ?? .max else { continue }
            idlest = (connection, since)
        }
        return idlest?.connection
    }
}
