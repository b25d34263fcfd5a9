import Foundation

extension WebPushSimulator {
    /// The settings of a simulator.
    public struct Configuration: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port; 0: any free port.
        public var port = 0
        /// The port for browsers that use Mozilla's push protocol over a WebSocket without TLS; 0: any free port; nil:
        /// none.
        public var browserPort: Int?
        /// The host in the endpoints; nil: `host`.
        public var publicHost: String?
        /// The names and addresses in the certificate; `host` and `publicHost` are added.
        public var serverNames = ["localhost", "127.0.0.1", "::1"]
        /// SETTINGS_MAX_CONCURRENT_STREAMS, at least 1.
        public var maxConcurrentStreams = 100
        /// Whether browsers decrypt what they get. It costs a key agreement for each push. Without it, unreadable
        /// pushes are not detected and no message ids are known.
        public var opensPayloads = true
        /// The quota beyond which an application server's key gets 429; nil: none.
        public var senderQuota: SimulatorQuota?
        /// The quota beyond which a subscription gets 429; nil: none.
        public var subscriptionQuota: SimulatorQuota?
        /// The path of the sender's own message id in the encrypted JSON, by which repeats are found. A push without
        /// such an id uses the id from the service.
        public var messageIDPath = ["belfry", "sid"]
        /// The maximum number of accepted pushes in the history; 0: none.
        public var keepsHistory = 10_000
        /// The maximum number of pushes that wait for an offline browser; 0: none.
        public var storedPerSubscription = 32
        /// The maximum number of pushes in the stream of a browser that does not read; beyond it, the oldest are
        /// dropped.
        public var streamBuffer = 1_024
        /// The initial faults.
        public var faults = FaultPlan.none
        /// How long connections may take to end when the simulator stops.
        public var shutdownTimeout = Duration.seconds(5)

        /// Creates the default configuration.
        public init() {}
    }
}

extension WebPushReception {
    convenience init(
        _ configuration: WebPushSimulator.Configuration, random: RandomSource, clock: @escaping @Sendable () -> Date
    ) {
        self.init(
            limits: DeviceLimits(
                stored: configuration.storedPerSubscription, streamBuffer: configuration.streamBuffer,
                rate: configuration.subscriptionQuota
            ),
            history: configuration.keepsHistory, faults: configuration.faults,
            reading: WebPushReading(opens: configuration.opensPayloads, messageIDPath: configuration.messageIDPath),
            quota: configuration.senderQuota, random: random, clock: clock
        )
    }
}
