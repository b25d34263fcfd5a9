import NIOCore

/// Stands between a connection and its answers (SEC-9): whoever does not read them has no right to the connection. While
/// they wait no request ends, so nothing that bounds requests or silence would ever end it.
///
/// It costs nothing as long as the client reads: it looks only while the channel is not writable.
final class ResponseGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// How often it looks whether a client goes on.
    static let interval = TimeAmount.seconds(5)

    private let rules: ConnectionRules?
    private let connection: OpenConnection?
    /// While the channel is not writable.
    private var pace: ReadingPace?
    /// Stays when the channel becomes writable, since that comes and goes with every large answer.
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - rules: count what ends by it.
    ///   - connection: is told when its client stops to read; nil when it is not counted.
    init(rules: ConnectionRules? = nil, connection: OpenConnection? = nil) {
        self.rules = rules
        self.connection = connection
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        pace?.offer(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            pace = nil
            connection?.wasRead()
        } else if pace == nil {
            let now = context.eventLoop.now
            pace = ReadingPace(waiting: Self.waiting(context), at: now)
            connection?.stalled(since: now)
            lookLater(context)
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
    }

    private func lookLater(_ context: ChannelHandlerContext) {
        guard timer == nil else { return }
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: Self.interval) {
            self.timer = nil
            self.look(context)
        }
    }

    private func look(_ context: ChannelHandlerContext) {
        guard var pace else { return }
        guard pace.goesOn(waiting: Self.waiting(context), at: context.eventLoop.now) else {
            rules?.endedUnread()
            context.channel.dropsUnsentBytes()
            // From here it passes no TLS, whose goodbye nobody would read.
            return context.close(promise: nil)
        }
        self.pace = pace
        connection?.stalled(since: pace.since)
        lookLater(context)
    }

    /// Bytes that the system has not taken yet.
    private static func waiting(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}

/// How fast a client takes what waits for it.
struct ReadingPace {
    /// How long a client may take less than the least bytes.
    static let patience = TimeAmount.seconds(60)
    /// 273 bytes a second: the slowest of mobile networks carry twenty times as much.
    static let leastBytes = 16_384

    /// The last time at which it had taken so much.
    private(set) var since: NIODeadline
    /// What waited then, and was added to it.
    private var offered: Int

    init(waiting bytes: Int, at now: NIODeadline) {
        offered = bytes
        since = now
    }

    mutating func offer(_ bytes: Int) {
        offered += bytes
    }

    /// - Parameter bytes: what waits still.
    /// - Returns: false when the client is not waited for any longer.
    mutating func goesOn(waiting bytes: Int, at now: NIODeadline) -> Bool {
        if offered - bytes >= Self.leastBytes { self = ReadingPace(waiting: bytes, at: now) }
        return now - since < Self.patience
    }
}
