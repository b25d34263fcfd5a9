import Foundation

extension APNsSimulator {
    /// How a simulator is set up. The defaults are Apple's figures where Apple gives any.
    public struct Configuration: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port of the production service; 0: any free one.
        public var productionPort = 0
        /// The port of the sandbox; 0: any free one.
        public var sandboxPort = 0
        /// The names and addresses that the certificate is for; `host` is added.
        public var serverNames = ["localhost", "127.0.0.1", "::1"]
        /// SETTINGS_MAX_CONCURRENT_STREAMS, at least 1.
        public var maxConcurrentStreams = 1_000
        /// Whether a connection has one stream until a provider token on it was good, as with Apple.
        public var beginsWithOneStream = true
        /// How old a provider token may be, in seconds.
        public var providerTokenLifetime: TimeInterval = 3_600
        /// How long after another a provider token may be made, in seconds, for one connection; sooner is 429
        /// `TooManyProviderTokenUpdates`. Nil: any time. Apple's 20 minutes by default, so that a sender that signs
        /// too often is found before Apple finds it.
        public var providerTokenUpdateInterval: TimeInterval? = 1_200
        /// When one device token gets 429 `TooManyRequests`; nil: never.
        public var tokenRateLimit: TokenRateLimit?
        /// How many accepted pushes the history remembers; 0: none.
        public var keepsHistory = 10_000
        /// How many pushes wait for a device that is away; 0: none.
        public var storedPerDevice = 32
        /// How many pushes a stream holds for a device that does not read; then the oldest go.
        public var streamBuffer = 1_024
        /// What goes wrong from the beginning.
        public var faults = FaultPlan.none
        /// How long connections may take to end when the simulator stops.
        public var shutdownTimeout = Duration.seconds(5)

        /// The defaults.
        public init() {}
    }

    /// How many pushes one device token takes before 429 `TooManyRequests`. Apple gives no figure.
    public typealias TokenRateLimit = SimulatorQuota
}
