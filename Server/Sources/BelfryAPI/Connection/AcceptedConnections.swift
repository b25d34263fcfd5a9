import HummingbirdCore

/// Limits the accepted connections: to a maximum, and so that the process keeps free file handles (SEC-2). Without a
/// free handle, the system's thread pool, which reads the state of its threads from files, ends the process (REL-6).
package struct AcceptedConnections: AvailableConnectionsDelegate {
    private let maximum: Int
    private let hasRoom: @Sendable () -> Bool
    private var count = 0

    /// - Parameter hasRoom: whether the process has file handles for more.
    package init(_ maximum: Int, hasRoom: @escaping @Sendable () -> Bool) {
        self.maximum = maximum
        self.hasRoom = hasRoom
    }

    package mutating func connectionOpened() { count += 1 }
    package mutating func connectionClosed() { count -= 1 }

    /// Called before each read of the listening channel, and again when a connection is closed. The first connection is
    /// always accepted: even if something else uses all handles, a server that accepts nobody is useless.
    package func isAcceptingNewConnections() -> Bool {
        count < maximum && (count == 0 || hasRoom())
    }
}
