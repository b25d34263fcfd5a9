import BelfryServices

/// Counts the connections of each address and chooses which one to close when there are too many (SEC-9): the one that
/// has been idle, or has not read its responses, for the longest time. So nobody behind a shared address is turned
/// away.
///
/// An IPv6 network of 64 bits counts as one address; one of 48 bits, which a single customer may have, as a few. The
/// fewer connections are left to all, the fewer an address may have: a handful of addresses cannot take all of them.
struct AddressBudget {
    /// Connections of an address.
    static let standard = 1_000
    /// Connections of an IPv6 network of 48 bits, in those of an address.
    static let addressesPerSite = 2

    enum Admission {
        case admitted
        /// Another connection of the address, or of its IPv6 network of 48 bits, is closed instead.
        case admittedFor(OpenConnection, from: IPAddress)
        /// All others are being answered, and their clients read the responses.
        case rejected
    }

    let maximum: Int
    /// The maximum number of all connections.
    let capacity: Int
    private var addresses: [IPAddress: Group] = [:]
    private var sites: [IPAddress: Group] = [:]
    private var total = 0

    private typealias Group = [UInt64: Member]

    private struct Member {
        let connection: OpenConnection
        let network: IPAddress
    }

    init(maximum: Int, capacity: Int) {
        self.maximum = maximum
        self.capacity = capacity
    }

    func count(of network: IPAddress) -> Int {
        addresses[network]?.count ?? 0
    }

    mutating func open(_ connection: OpenConnection, from network: IPAddress) -> Admission {
        let crowd = crowd(around: network)
        guard !crowd.isEmpty else {
            count(connection, from: network)
            return .admitted
        }
        guard let idlest = Self.idlest(of: crowd) else { return .rejected }
        close(idlest.connection, from: idlest.network)
        count(connection, from: network)
        return .admittedFor(idlest.connection, from: idlest.network)
    }

    /// Counts a connection, even beyond the maximum: also one that was chosen but stays open.
    mutating func count(_ connection: OpenConnection, from network: IPAddress) {
        let member = Member(connection: connection, network: network)
        guard addresses[network, default: [:]].updateValue(member, forKey: connection.id) == nil else { return }
        total += 1
        if let site = network.site { sites[site, default: [:]][connection.id] = member }
    }

    mutating func close(_ connection: OpenConnection, from network: IPAddress) {
        guard addresses[network]?.removeValue(forKey: connection.id) != nil else { return }
        total -= 1
        if addresses[network]?.isEmpty == true { addresses[network] = nil }
        guard let site = network.site else { return }
        sites[site]?[connection.id] = nil
        if sites[site]?.isEmpty == true { sites[site] = nil }
    }

    /// The connections of which one must end before the address may have another; empty if it may.
    private func crowd(around network: IPAddress) -> Group {
        // At least one, or the addresses that came first would keep all others out.
        let limit = max(1, min(maximum, capacity - total))
        if let own = addresses[network], own.count >= limit { return own }
        guard let site = network.site.flatMap({ sites[$0] }), site.count >= limit * Self.addressesPerSite else {
            return [:]
        }
        return site
    }

    private static func idlest(of crowd: Group) -> Member? {
        var idlest: (member: Member, since: UInt64)?
        for member in crowd.values {
            guard let since = member.connection.idleSince, since < idlest?.since ?? .max else { continue }
            idlest = (member, since)
        }
        return idlest?.member
    }
}
