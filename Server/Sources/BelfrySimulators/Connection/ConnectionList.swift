import NIOCore
import Synchronization

/// The open connections, so that they can be closed.
final class ConnectionList: Sendable {
    private let channels = Mutex<[ObjectIdentifier: any Channel]>([:])

    /// Registers the channel until it closes.
    func hold(_ channel: any Channel) {
        let id = ObjectIdentifier(channel)
        channels.withLock { $0[id] = channel }
        channel.closeFuture.whenComplete { _ in
            self.channels.withLock { $0[id] = nil }
        }
    }

    /// Asks every connection to end, and closes those that are open after the timeout.
    func end(within timeout: Duration, on eventLoop: any EventLoop) async {
        let open = channels.withLock { Array($0.values) }
        let force = eventLoop.scheduleTask(in: TimeAmount(timeout)) {
            for channel in open {
                channel.close(mode: .all, promise: nil)
            }
        }
        for channel in open {
            channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        }
        for channel in open {
            // A broken connection has ended, too.
            try? await channel.closeFuture.get()
        }
        force.cancel()
    }
}
