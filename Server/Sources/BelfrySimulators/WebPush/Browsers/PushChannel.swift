/// One subscription of a browser that is connected: what was sent to it, and what it has.
struct PushChannel: Sendable, Equatable {
    let token: DeviceTokenKey
    /// The browser has every push up to this one.
    private(set) var acknowledged = 0
    /// Which look into the mailbox is the last: what an earlier one waited for does not count.
    private(set) var look = 0
    private var last = 0
    private var open: [Int: String] = [:]

    init(token: DeviceTokenKey) {
        self.token = token
    }

    /// Gives the look's number.
    mutating func looks() -> Int {
        look += 1
        return look
    }

    /// Whether the push has to be sent: not if it was, over this connection.
    mutating func sends(_ sequence: Int, version: String) -> Bool {
        guard sequence > last else { return false }
        last = sequence
        open[sequence] = version
        return true
    }

    /// False: no such push is open.
    mutating func acknowledge(version: String) -> Bool {
        guard let sequence = open.first(where: { $0.value == version })?.key else { return false }
        open[sequence] = nil
        acknowledged = open.keys.min().map { $0 - 1 } ?? last
        return true
    }
}
