import NIOCore

extension Peer {
    /// Performs a long operation for a waiting caller, and cancels it when the caller closes the connection or its side
    /// of it.
    func whileWaiting<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output) async throws -> Output {
        let (departures, departed) = AsyncStream<Void>.makeStream()
        let endWatch = onDeparture { departed.yield() }
        defer { endWatch() }
        return try await withThrowingTaskGroup(of: Output?.self) { group in
            group.addTask { try await body() }
            group.addTask {
                for await _ in departures { throw CancellationError() }
                return nil
            }
            defer { group.cancelAll() }
            while let next = try await group.next() {
                if let next { return next }
            }
            throw CancellationError()
        }
    }

    /// Calls back once the caller closes the connection or its side of it; and once more if it does both.
    ///
    /// - Returns: ends the watch.
    func onDeparture(_ departed: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        let watch = DepartureWatch(departed)
        let (pipeline, loop) = (channel.pipeline, channel.eventLoop)
        // No caller needs to wait for this: later work on the loop runs after it.
        loop.execute { try? pipeline.syncOperations.addHandler(watch, position: .first) }
        return { loop.execute { pipeline.syncOperations.removeHandler(watch, promise: nil) } }
    }
}

/// Reports that a client sends nothing more.
private final class DepartureWatch: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny

    private let departed: @Sendable () -> Void

    init(_ departed: @escaping @Sendable () -> Void) {
        self.departed = departed
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { departed() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        departed()
        context.fireChannelInactive()
    }
}
