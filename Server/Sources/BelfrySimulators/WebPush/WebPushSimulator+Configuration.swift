import Foundation

extension WebPushSimulator {
    /// How a simulator is set up.
    public struct Configuration: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// The port; 0: any free one.
        public var port = 0
        /// The port for browsers that speak Mozilla's push protocol over a WebSocket without TLS; 0: any free one, nil:
        /// none.
        public var browserPort: Int?
        /// The host in the endpoints that it gives; nil: `host`.
        public var publicHost: String?
        /// The names and addresses that the certificate is for; `host` and `publicHost` are added.
        public var serverNames = ["localhost", "127.0.0.1", "::1"]
        /// SETTINGS_MAX_CONCURRENT_STREAMS, at least 1.
        public var maxConcurrentStreams = 100
        /// Whether browsers open what they get. It costs an agreement of keys for each push; without it, nothing is
        /// found unreadable and no message id is known.
        public var opensPayloads = true
        /// When the key of one application server gets 429; nil: never.
        public var senderQuota: SimulatorQuota?
        /// When one subscription gets 429; nil: never.
        public var subscriptionQuota: SimulatorQuota?
        /// Where the sender's own id of a message lies in the JSON that it encrypted, to find repeats by it; without
        /// one, each accepted push has the id that the service gave it.
        public var messageIDPath = ["belfry", "sid"]
        /// How many accepted pushes the history remembers; 0: none.
        public var keepsHistory = 10_000
        /// How many pushes wait for a browser that is away; 0: none.
        public var storedPerSubscription = 32
        /// How many pushes a stream holds for a browser that does not read; then the oldest go.
        public var streamBuffer = 1_024
        /// What goes wrong from the beginning.
        public var faults = FaultPlan.none
        /// How long connections may take to end when the simulator stops.
        public var shutdownTimeout = Duration.seconds(5)

        /// The defaults.
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
