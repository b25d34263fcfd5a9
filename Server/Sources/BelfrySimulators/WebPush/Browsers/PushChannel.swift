/// One subscription of a connected browser: the pushes that were sent, and those that were acknowledged.
struct PushChannel: Sendable, Equatable {
    let token: DeviceTokenKey
    /// The browser has every push up to this one.
    private(set) var acknowledged = 0
    /// The number of the latest look into the mailbox; results of earlier looks are ignored.
    private(set) var look = 0
    private var last = 0
    private var open: [Int: String] = [:]

    init(token: DeviceTokenKey) {
        self.token = token
    }

    /// Begins a look and returns its number.
    mutating func looks() -> Int {
        look += 1
        return look
    }

    /// Whether the push must be sent: only if it was not sent over this connection yet.
    mutating func sends(_ sequence: Int, version: String) -> Bool {
        guard sequence > last else { return false }
        last = sequence
        open[sequence] = version
        return true
    }

    /// False: no such push is unacknowledged.
    mutating func acknowledge(version: String) -> Bool {
        guard let sequence = open.first(where: { $0.value == version })?.key else { return false }
        open[sequence] = nil
        acknowledged = open.keys.min().map { $0 - 1 } ?? last
        return true
    }
}
