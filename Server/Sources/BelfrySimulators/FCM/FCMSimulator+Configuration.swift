import Foundation

extension FCMSimulator {
    /// The settings of a simulator. The defaults are Google's figures, where Google publishes any.
    public struct Configuration: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port; 0: any free port.
        public var port = 0
        /// The host in the token URI; nil: `host`.
        public var publicHost: String?
        /// The names and addresses in the certificate; `host` and `publicHost` are added.
        public var serverNames = ["localhost", "127.0.0.1", "::1"]
        /// SETTINGS_MAX_CONCURRENT_STREAMS, at least 1.
        public var maxConcurrentStreams = 100
        /// The lifetime of an access token in seconds.
        public var accessTokenLifetime: TimeInterval = 3_600
        /// The quota beyond which a project gets 429 `RESOURCE_EXHAUSTED`; nil: none. Google's default is 600,000 a
        /// minute.
        public var projectQuota: SimulatorQuota?
        /// The quota beyond which a device gets 429 `QUOTA_EXCEEDED`; nil: none. Google's is 240 a minute.
        public var deviceQuota: SimulatorQuota?
        /// The path of the sender's own message id in `data`, by which repeats are found. A string on the path that
        /// contains JSON is parsed. A message without such an id uses the id from the service.
        public var messageIDPath = ["belfry", "sid"]
        /// The maximum number of accepted messages in the history; 0: none.
        public var keepsHistory = 10_000
        /// The maximum number of messages that wait for an offline device; 0: none.
        public var storedPerDevice = 32
        /// The maximum number of messages in the stream of a device that does not read; beyond it, the oldest are
        /// dropped.
        public var streamBuffer = 1_024
        /// The initial faults for messages.
        public var faults = FaultPlan.none
        /// The initial faults of the token endpoint.
        public var tokenFaults = FaultPlan.none
        /// How long connections may take to end when the simulator stops.
        public var shutdownTimeout = Duration.seconds(5)

        /// Creates the default configuration.
        public init() {}
    }
}
