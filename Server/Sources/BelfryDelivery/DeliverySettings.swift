import NIOCore

/// Limits and times of one ``PushConnectionPool``.
package struct DeliverySettings: Sendable {
    /// Connections at most. Those that a GOAWAY is ending do not count, up to as many again.
    package var connections = 2
    /// Streams in flight on one connection at most, however many more the peer allows.
    package var streamsPerConnection = 1_000
    /// Requests that may wait for a free stream; those beyond are answered `notProcessed`.
    package var waitingRequests = 20_000
    /// Whether connections may go to private, loopback and other addresses that are not public (SEC-5).
    package var allowsPrivateAddresses = false
    /// Whether they may go to this very machine, beside those that are public.
    package var allowsLoopbackAddresses = false
    /// From the first packet to the peer's SETTINGS.
    package var connectTimeout = TimeAmount.seconds(10)
    /// From `send` to the answer, for those who give no deadline.
    package var requestTimeout = TimeAmount.seconds(30)
    /// How often deadlines are looked at: a time-out is told late by so much at most.
    package var sweepInterval = TimeAmount.milliseconds(250)
    /// Silence of the peer after which a PING asks whether it is still there.
    package var pingAfterSilence = TimeAmount.seconds(30)
    /// Silence after that PING which ends the connection.
    package var pingTimeout = TimeAmount.seconds(10)
    /// The wait after a first connection that brought no answer; it doubles with each that follows.
    package var reconnectDelay = TimeAmount.milliseconds(100)
    package var maximumReconnectDelay = TimeAmount.seconds(30)
    /// How long `shutdown` waits for the answers to what is in flight.
    package var shutdownGrace = TimeAmount.seconds(10)

    package init() {}
}
