import NIOCore

/// Bounds how long a client may leave responses unread (SEC-9), and the memory of all that wait (SEC-12). While responses
/// wait, no request ends, so the limits on requests and silence would never end it.
///
/// It costs nothing while the client reads: it only checks while the channel is not writable.
final class ResponseGuard: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = NIOAny
    typealias InboundOut = NIOAny
    typealias OutboundIn = IOData
    typealias OutboundOut = IOData

    /// How often it checks whether the client reads.
    static let interval = TimeAmount.seconds(5)

    private let rules: ConnectionRules?
    private let connection: OpenConnection?
    /// The client's reading speed, while the channel is not writable.
    private var pace: ReadingPace?
    /// The id under which its unread responses count, while the channel is not writable.
    private var held: UInt64?
    /// Kept when the channel becomes writable, because that changes with every large response.
    private var timer: Scheduled<Void>?

    /// - Parameters:
    ///   - rules: count the connections that this guard closes.
    ///   - connection: is notified when its client stops reading; nil when it does not count.
    init(rules: ConnectionRules? = nil, connection: OpenConnection? = nil) {
        self.rules = rules
        self.connection = connection
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        pace?.offer(unwrapOutboundIn(data).readableBytes)
        context.write(data, promise: promise)
        hold(context)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable {
            pace = nil
            release()
            connection?.wasRead()
        } else if pace == nil {
            let now = context.eventLoop.now
            let waiting = Self.waiting(context)
            pace = ReadingPace(waiting: waiting, at: now)
            connection?.stalled(since: now)
            lookLater(context)
            beginToHold(waiting, since: now, context)
        }
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        release()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        release()
    }

    // MARK: Memory

    private func beginToHold(_ bytes: Int, since: NIODeadline, _ context: ChannelHandlerContext) {
        let me = NIOLoopBound((handler: self, context: context), eventLoop: context.eventLoop)
        held = rules?.responses.begin(bytes: bytes, since: since) { [loop = context.eventLoop] in
            loop.execute {
                // It may have been read meanwhile, or have ended.
                guard me.value.handler.held != nil else { return }
                me.value.handler.held = nil
                me.value.handler.end(me.value.context)
            }
        }
    }

    private func hold(_ context: ChannelHandlerContext) {
        guard let held, let pace else { return }
        rules?.responses.hold(held, bytes: Self.waiting(context), since: pace.since)
    }

    private func release() {
        guard let held else { return }
        self.held = nil
        rules?.responses.release(held)
    }

    private func end(_ context: ChannelHandlerContext) {
        rules?.endedUnread()
        context.channel.dropUnsentBytesOnClose()
        // From here on there is no TLS close message, which the client would not read.
        context.close(promise: nil)
    }

    // MARK: Pace

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
            return end(context)
        }
        self.pace = pace
        connection?.stalled(since: pace.since)
        hold(context)
        lookLater(context)
    }

    /// Bytes that the system has not accepted yet.
    private static func waiting(_ context: ChannelHandlerContext) -> Int {
        (try? context.channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0
    }
}

/// How fast a client reads what waits for it.
struct ReadingPace {
    /// How long a client may read less than ``leastBytes``.
    static let patience = TimeAmount.seconds(60)
    /// 273 bytes a second: the slowest mobile networks carry twenty times as much.
    static let leastBytes = 16_384

    /// The last time at which it had read enough.
    private(set) var since: NIODeadline
    /// The bytes that waited at that time, plus those added since.
    private var offered: Int

    init(waiting bytes: Int, at now: NIODeadline) {
        offered = bytes
        since = now
    }

    mutating func offer(_ bytes: Int) {
        offered += bytes
    }

    /// Whether the client may go on.
    ///
    /// - Parameter bytes: the number of bytes that still wait.
    /// - Returns: false when the client has had enough time.
    mutating func goesOn(waiting bytes: Int, at now: NIODeadline) -> Bool {
        if offered - bytes >= Self.leastBytes { self = ReadingPace(waiting: bytes, at: now) }
        return now - since < Self.patience
    }
}
