import NIOCore
import Synchronization

/// A connection of an address that is counted (SEC-9), and since when nobody waits for it.
final class OpenConnection: Sendable {
    /// While a complete request is being answered.
    private static let busy = UInt64.max

    let id: UInt64
    private let channel: any Channel
    /// In nanoseconds of the event loops' clock.
    private let quietSince: Atomic<UInt64>
    /// The same, of a client that does not take what it was sent; else `busy`.
    private let stalledSince = Atomic(OpenConnection.busy)

    init(id: UInt64, channel: any Channel) {
        self.id = id
        self.channel = channel
        quietSince = Atomic(channel.eventLoop.now.uptimeNanoseconds)
    }

    /// Nil while a complete request is being answered, and its client takes the answers.
    var idleSince: UInt64? {
        let since = min(quietSince.load(ordering: .relaxed), stalledSince.load(ordering: .relaxed))
        return since == Self.busy ? nil : since
    }

    func becameBusy() {
        quietSince.store(Self.busy, ordering: .relaxed)
    }

    /// Its last request is answered, or a part of one has come.
    func wentOn(at now: NIODeadline) {
        quietSince.store(now.uptimeNanoseconds, ordering: .relaxed)
    }

    /// Nobody is kept waiting but by its client, who has taken nothing since then.
    func stalled(since time: NIODeadline) {
        stalledSince.store(time.uptimeNanoseconds, ordering: .relaxed)
    }

    /// Its client has taken what waited.
    func wasRead() {
        stalledSince.store(Self.busy, ordering: .relaxed)
    }

    /// Ends it, unless a request has become complete meanwhile, or its client goes on to read.
    ///
    /// - Parameter stays: is called on its event loop when it goes on.
    func endIfIdle(otherwise stays: @escaping @Sendable () -> Void) {
        channel.eventLoop.execute {
            if self.idleSince != nil {
                if self.stalledSince.load(ordering: .relaxed) != Self.busy { self.channel.dropsUnsentBytes() }
                self.channel.close(promise: nil)
            } else if self.channel.isActive {
                // Its end comes on this loop, so behind this.
                stays()
            }
        }
    }

    func end() {
        channel.eventLoop.execute { self.channel.close(promise: nil) }
    }
}
