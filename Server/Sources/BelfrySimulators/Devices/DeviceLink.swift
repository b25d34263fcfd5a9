import NIOCore

/// How a push reaches its device at once.
enum DeviceLink<Item: MailboxItem>: Sendable {
    case none
    /// A stream in this process; the number tells it from the one that took its place.
    case stream(UInt64, AsyncStream<Item>.Continuation)
    /// A poll over HTTP that waits for news.
    case poll(EventLoopPromise<Void>)

    /// Ends it for another one. Not under a lock: it calls back.
    func end() {
        switch self {
        case .none: break
        case .stream(_, let continuation): continuation.finish()
        case .poll(let promise): promise.succeed(())
        }
    }
}
