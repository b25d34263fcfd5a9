import HummingbirdCore

/// How many connections are accepted: a number, and never so many that the process has no file handle left (SEC-2).
/// Without one, the system's thread pool, which reads the state of its threads from files, ends the process (REL-6).
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

    /// Asked before each read of the listening channel, and again when a connection is closed. The first one is always
    /// accepted: whatever holds the handles then, a server that takes nobody is of no use.
    package func isAcceptingNewConnections() -> Bool {
        count < maximum && (count == 0 || hasRoom())
    }
}
