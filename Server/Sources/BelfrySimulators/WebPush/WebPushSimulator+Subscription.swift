extension WebPushSimulator {
    /// What a web app gets from `PushManager.subscribe` (W3C Push API), and sends to its server.
    public struct Subscription: Sendable, Equatable, Codable {
        /// The name of the subscription here, the last part of the endpoint.
        public let id: String
        /// Where to post pushes.
        public let endpoint: String
        /// The browser's public key, base64url of 65 bytes.
        public let p256dh: String
        /// The authentication secret, base64url of 16 bytes.
        public let auth: String

        /// A subscription as a device of another process has it.
        public init(id: String, endpoint: String, p256dh: String, auth: String) {
            self.id = id
            self.endpoint = endpoint
            self.p256dh = p256dh
            self.auth = auth
        }
    }
}
