/// What one connection may take.
struct StreamLimits: Sendable, Equatable {
    /// Bytes of the flow-control window of a whole HTTP/2 connection.
    static let window = 8 << 20
    /// Bytes of a body after which it is answered without its end: less than a stream's window, so it never stalls.
    static let hopelessBody = 32 << 10

    /// SETTINGS_MAX_CONCURRENT_STREAMS, once the service allows all.
    var most: Int
    /// SETTINGS_MAX_CONCURRENT_STREAMS before.
    var first: Int

    init(_ most: Int) {
        self.most = max(most, 1)
        first = self.most
    }
}
