extension WebPushSimulator {
    /// Where a running simulator listens.
    public struct Addresses: Sendable, Equatable {
        /// The host that it listens on.
        public let host: String
        /// Its port.
        public let port: Int
        /// The origin of its endpoints, which a VAPID token is for.
        public let origin: String
    }
}
