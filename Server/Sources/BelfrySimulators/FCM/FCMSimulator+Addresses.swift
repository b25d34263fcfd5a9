extension FCMSimulator {
    /// Where a running simulator listens.
    public struct Addresses: Sendable, Equatable {
        /// The host that it listens on.
        public let host: String
        /// The port of everything: messages and access tokens.
        public let port: Int
        /// The base URL, without a path: what stands for `https://fcm.googleapis.com`.
        public let url: String

        /// What stands for `https://oauth2.googleapis.com/token`; service accounts name it, and assertions are for it.
        public var tokenURI: String { url + FCMTokenEndpoint.path }
    }
}
