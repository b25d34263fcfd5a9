import Foundation

extension APNsSimulator {
    /// The settings of a simulator. The defaults are Apple's figures, where Apple publishes any.
    public struct Configuration: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port of the production service; 0: any free port.
        public var productionPort = 0
        /// The port of the sandbox; 0: any free port.
        public var sandboxPort = 0
        /// The names and addresses in the certificate; `host` is added.
        public var serverNames = ["localhost", "127.0.0.1", "::1"]
        /// SETTINGS_MAX_CONCURRENT_STREAMS, at least 1.
        public var maxConcurrentStreams = 1_000
        /// Whether a connection has only one stream until it has sent a valid provider token, as at Apple.
        public var beginsWithOneStream = true
        /// The maximum age of a provider token in seconds.
        public var providerTokenLifetime: TimeInterval = 3_600
        /// The minimum interval in seconds between the provider tokens of one connection; a token that comes earlier is
        /// 429 `TooManyProviderTokenUpdates`. Nil: no minimum. The default is Apple's 20 minutes, so that tests find a
        /// sender that signs too often before Apple does.
        public var providerTokenUpdateInterval: TimeInterval? = 1_200
        /// The limit beyond which one device token gets 429 `TooManyRequests`; nil: no limit.
        public var tokenRateLimit: TokenRateLimit?
        /// The maximum number of accepted pushes in the history; 0: none.
        public var keepsHistory = 10_000
        /// The maximum number of pushes that wait for an offline device; 0: none.
        public var storedPerDevice = 32
        /// The maximum number of pushes in the stream of a device that does not read; beyond it, the oldest are
        /// dropped.
        public var streamBuffer = 1_024
        /// The initial faults.
        public var faults = FaultPlan.none
        /// How long connections may take to end when the simulator stops.
        public var shutdownTimeout = Duration.seconds(5)

        /// Creates the default configuration.
        public init() {}
    }

    /// The number of pushes that one device token accepts before 429 `TooManyRequests`. Apple publishes no figure.
    public typealias TokenRateLimit = SimulatorQuota
}
