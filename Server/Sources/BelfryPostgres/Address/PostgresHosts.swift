/// The servers that an address names. One of several is the primary; a failover makes it another one (FLEET-7).
struct PostgresHosts {
    /// libpq's settings that are lists with one element for each server.
    private static let lists = ["host", "hostaddr", "port"]

    private let settings: [String: String]
    /// The number of servers; 1 if none is named and libpq chooses.
    let count: Int

    init(_ settings: [String: String]) {
        self.settings = settings
        count = Self.lists.map { Self.elements(of: settings[$0] ?? "").count }.max() ?? 1
    }

    /// The indexes of all servers, beginning with this one.
    func order(from first: Int) -> [Int] { (first..<first + count).map { $0 % count } }

    /// The settings for only these servers, in this order.
    func settings(asking order: [Int]) -> [String: String] {
        var asked = settings
        for list in Self.lists {
            let elements = Self.elements(of: settings[list] ?? "")
            // One port holds for all servers.
            guard count > 1, elements.count == count else { continue }
            asked[list] = order.map { elements[$0] }.joined(separator: ",")
        }
        return asked
    }

    /// The index of the server that a connection is to.
    ///
    /// - Parameters:
    ///   - host: the server's name, or its address if it has no name.
    ///   - port: as libpq says it.
    func index(host: String, port: String) -> Int {
        let (names, addresses) = (element("host"), element("hostaddr"))
        let ports = element("port")
        let isMeant = { (index: Int) in
            (names(index) == host || names(index).isEmpty && addresses(index) == host)
                && (ports(index).isEmpty || ports(index) == port)
        }
        return (0..<count).first(where: isMeant) ?? 0
    }

    /// The element of a list for each server, by the server's index.
    private func element(_ list: String) -> (Int) -> String {
        let elements = Self.elements(of: settings[list] ?? "")
        return { elements.count == count ? elements[$0] : elements[0] }
    }

    /// The elements of a list; at least one, which may be empty.
    private static func elements(of list: String) -> [String] {
        list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { String($0) ?? "" }
    }
}
