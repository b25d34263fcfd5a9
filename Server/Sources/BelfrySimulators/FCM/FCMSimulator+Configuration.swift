import Foundation

extension FCMSimulator {
    /// How a simulator is set up. The defaults are Google's figures where Google gives any.
    public struct Configuration: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port; 0: any free one.
        public var port = 0
        /// The host in the token URI that it gives; nil: `host`.
        public var publicHost: String?
        /// The names and addresses that the certificate is for; `host` and `publicHost` are added.
        public var serverNames = ["localhost", "127.0.0.1", "::1"]
        /// SETTINGS_MAX_CONCURRENT_STREAMS, at least 1.
        public var maxConcurrentStreams = 100
        /// How long an access token is good, in seconds.
        public var accessTokenLifetime: TimeInterval = 3_600
        /// When a project gets 429 `RESOURCE_EXHAUSTED`; nil: never. Google's default is 600,000 a minute.
        public var projectQuota: SimulatorQuota?
        /// When a device gets 429 `QUOTA_EXCEEDED`; nil: never. Google's is 240 a minute.
        public var deviceQuota: SimulatorQuota?
        /// Where the sender's own id of a message lies in `data`, to find repeats by it; a value that holds JSON is
        /// opened. Without one, each accepted message has the id that the service gave it.
        public var messageIDPath = ["belfry", "sid"]
        /// How many accepted messages the history remembers; 0: none.
        public var keepsHistory = 10_000
        /// How many messages wait for a device that is away; 0: none.
        public var storedPerDevice = 32
        /// How many messages a stream holds for a device that does not read; then the oldest go.
        public var streamBuffer = 1_024
        /// What goes wrong with messages from the beginning.
        public var faults = FaultPlan.none
        /// What goes wrong at the token endpoint from the beginning.
        public var tokenFaults = FaultPlan.none
        /// How long connections may take to end when the simulator stops.
        public var shutdownTimeout = Duration.seconds(5)

        /// The defaults.
        public init() {}
    }
}
