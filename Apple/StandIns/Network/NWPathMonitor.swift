// Stand-in for Network; see ../README.md.
import Foundation

public struct NWPath: Sendable {
    public enum Status: Sendable {
        case satisfied
        case unsatisfied
        case requiresConnection
    }

    public let status: Status
}

/// It calls its handler on its queue with the path as it is when it starts, and with each later one, until it is
/// cancelled (page NWPathMonitor).
// Unchecked: its state is accessed under its lock only.
public final class NWPathMonitor: @unchecked Sendable {
    private let lock = NSLock()
    private var handler: (@Sendable (NWPath) -> Void)?
    private var queue: DispatchQueue?

    public init() {}

    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? {
        get { lock.withLock { handler } }
        set { lock.withLock { handler = newValue } }
    }

    public func start(queue: DispatchQueue) {
        lock.withLock { self.queue = queue }
        NetworkWeather.shared.add(self)
    }

    public func cancel() {
        lock.withLock { handler = nil }
        NetworkWeather.shared.remove(self)
    }

    func tell(_ status: NWPath.Status) {
        let (handler, queue) = lock.withLock { (self.handler, self.queue) }
        queue?.async { handler?(NWPath(status: status)) }
    }
}

/// The network, as a test plays it.
// Unchecked: its state is accessed under its lock only.
public final class NetworkWeather: @unchecked Sendable {
    public static let shared = NetworkWeather()

    private let lock = NSLock()
    private var status = NWPath.Status.satisfied
    private var monitors: [NWPathMonitor] = []

    /// How many monitors run.
    public var monitorCount: Int { lock.withLock { monitors.count } }

    public func set(_ status: NWPath.Status) {
        let running = lock.withLock {
            self.status = status
            return monitors
        }
        for monitor in running { monitor.tell(status) }
    }

    fileprivate func add(_ monitor: NWPathMonitor) {
        let status = lock.withLock {
            monitors.append(monitor)
            return self.status
        }
        monitor.tell(status)
    }

    fileprivate func remove(_ monitor: NWPathMonitor) {
        lock.withLock { monitors.removeAll { $0 === monitor } }
    }
}
