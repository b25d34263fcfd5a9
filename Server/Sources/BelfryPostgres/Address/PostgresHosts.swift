/// The servers that an address names. Of several one takes the writes, and a failover makes it another one (FLEET-7).
struct PostgresHosts {
    /// libpq's lists, which have one element for each server.
    private static let lists = ["host", "hostaddr", "port"]

    private let settings: [String: String]
    /// 1 where no server is named, and libpq looks for it.
    let count: Int

    init(_ settings: [String: String]) {
        self.settings = settings
        count = Self.lists.map { Self.elements(of: settings[$0] ?? "").count }.max() ?? 1
    }

    /// All of them, beginning with one.
    func order(from first: Int) -> [Int] { (first..<first + count).map { $0 % count } }

    /// The settings with some of the servers, in this order.
    func settings(asking order: [Int]) -> [String: String] {
        var asked = settings
        for list in Self.lists {
            let elements = Self.elements(of: settings[list] ?? "")
            // One port is the port of all.
            guard count > 1, elements.count == count else { continue }
            asked[list] = order.map { elements[$0] }.joined(separator: ",")
        }
        return asked
    }

    /// Which of them a connection is to.
    ///
    /// - Parameters:
    ///   - host: the name, or the address where it has no name.
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

    /// What a list says of each server.
    private func element(_ list: String) -> (Int) -> String {
        let elements = Self.elements(of: settings[list] ?? "")
        return { elements.count == count ? elements[$0] : elements[0] }
    }

    /// Never none.
    private static func elements(of list: String) -> [String] {
        list.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false).map { String($0) ?? "" }
    }
}
