import NIOCore

extension Peer {
    /// Performs a long operation for a waiting caller, and cancels it when the caller closes the connection or its side
    /// of it.
    func whileWaiting<Output: Sendable>(_ body: @escaping @Sendable () async throws -> Output) async throws -> Output {
        let (departures, departed) = AsyncStream<Void>.makeStream()
        let watch = DepartureWatch(departed)
        let pipeline = channel.pipeline
        // Nothing waits for this, and whatever follows on the loop runs later.
        channel.eventLoop.execute { try? pipeline.syncOperations.addHandler(watch, position: .first) }
        defer { channel.eventLoop.execute { pipeline.syncOperations.removeHandler(watch, promise: nil) } }
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
}

/// Reports that a client sends nothing more.
private final class DepartureWatch: ChannelInboundHandler, RemovableChannelHandler, Sendable {
    typealias InboundIn = NIOAny

    private let departed: AsyncStream<Void>.Continuation

    init(_ departed: AsyncStream<Void>.Continuation) {
        self.departed = departed
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { departed.yield() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        departed.yield()
        context.fireChannelInactive()
    }
}
