/// The use of the connections to push services at one moment.
package struct PushConnectionUse: Hashable, Sendable {
    /// The number of open connections that have received the service's settings.
    package var connections = 0
    /// The number of requests that wait for a response, each of which uses a stream.
    package var streams = 0
    /// The number of requests that wait for a free stream.
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
