/// A bell between services: whoever makes work rings it, the one service that waits for work hears it.
/// Rings while nobody listens are remembered as one.
package struct AsyncSignal: Sendable {
    package let rings: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    package init() {
        (rings, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    }

    package func signal() {
        continuation.yield()
    }
}
