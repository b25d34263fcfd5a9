import NIOCore
import Synchronization

extension StillConnection {
    /// Counts from here on how often the connection is asked for more bytes.
    func countReads() async throws -> ReadCount {
        let count = ReadCount()
        try await channel.testingEventLoop.executeInContext {
            try channel.pipeline.syncOperations.addHandler(ReadCounter(count), position: .first)
        }
        return count
    }

    /// As the system signals after each piece that it has delivered.
    func askForMore() async throws {
        try await channel.testingEventLoop.executeInContext { channel.pipeline.read() }
    }
}

/// A number that the loop counts up.
final class ReadCount: Sendable {
    private let number = Mutex(0)

    var count: Int { number.withLock { $0 } }

    func add() {
        number.withLock { $0 += 1 }
    }
}

private final class ReadCounter: ChannelOutboundHandler {
    typealias OutboundIn = Any

    private let count: ReadCount

    init(_ count: ReadCount) {
        self.count = count
    }

    func read(context: ChannelHandlerContext) {
        count.add()
        context.read()
    }
}
