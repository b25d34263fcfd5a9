/// What connections to push services carry at one moment.
package struct PushConnectionUse: Hashable, Sendable {
    /// Those that are open and have had the service's settings.
    package var connections = 0
    /// Requests without an answer yet, each of which takes a stream.
    package var streams = 0
    /// Requests that wait for a free stream.
    package var waiting = 0

    package init(connections: Int = 0, streams: Int = 0, waiting: Int = 0) {
        self.connections = connections
        self.streams = streams
        self.waiting = waiting
    }

    static func += (sum: inout PushConnectionUse, other: PushConnectionUse) {
        sum.connections += other.connections
        sum.streams += other.streams
        sum.waiting += other.waiting
    }
}
