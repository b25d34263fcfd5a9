import NIOCore
import Synchronization

/// A counted connection of an address (SEC-9), and since when it has been idle.
final class OpenConnection: Sendable {
    /// While a complete request is being answered.
    private static let busy = UInt64.max

    let id: UInt64
    private let channel: any Channel
    /// When the connection became idle, in nanoseconds of the event loop's clock.
    private let quietSince: Atomic<UInt64>
    /// Since when its client has not read the responses; otherwise `busy`.
    private let stalledSince = Atomic(OpenConnection.busy)

    init(id: UInt64, channel: any Channel) {
        self.id = id
        self.channel = channel
        quietSince = Atomic(channel.eventLoop.now.uptimeNanoseconds)
    }

    /// When the connection became idle; nil while a complete request is being answered and the client reads.
    var idleSince: UInt64? {
        let since = min(quietSince.load(ordering: .relaxed), stalledSince.load(ordering: .relaxed))
        return since == Self.busy ? nil : since
    }

    func becameBusy() {
        quietSince.store(Self.busy, ordering: .relaxed)
    }

    /// Marks activity: its last request was answered, or a part of a request has arrived.
    func wentOn(at now: NIODeadline) {
        quietSince.store(now.uptimeNanoseconds, ordering: .relaxed)
    }

    /// The connection waits only for its client, which has read nothing since then.
    func stalled(since time: NIODeadline) {
        stalledSince.store(time.uptimeNanoseconds, ordering: .relaxed)
    }

    /// The client has read the waiting responses.
    func wasRead() {
        stalledSince.store(Self.busy, ordering: .relaxed)
    }

    /// Closes it, unless a request has become complete meanwhile or its client reads again.
    ///
    /// - Parameter stays: is called on its event loop if it stays open.
    func endIfIdle(otherwise stays: @escaping @Sendable () -> Void) {
        channel.eventLoop.execute {
            if self.idleSince != nil {
                if self.stalledSince.load(ordering: .relaxed) != Self.busy { self.channel.dropUnsentBytesOnClose() }
                self.channel.close(promise: nil)
            } else if self.channel.isActive {
                // It closes on this loop, so this runs afterwards.
                stays()
            }
        }
    }

    func end() {
        channel.eventLoop.execute { self.channel.close(promise: nil) }
    }
}
