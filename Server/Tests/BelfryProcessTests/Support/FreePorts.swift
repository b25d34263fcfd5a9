import NIOCore
import NIOPosix

/// Ports for programs that must be told theirs, as a reader of the documents tells them.
enum FreePorts {
    struct None: Error {}

    /// The first of so many ports in a row, on which nobody listens now. They are below those that systems give away by
    /// themselves.
    static func first(of count: Int) async throws -> Int {
        for _ in 0..<100 {
            let first = Int.random(in: 20_000..<30_000)
            if await areFree(first..<first + count) { return first }
        }
        throw None()
    }

    private static func areFree(_ ports: Range<Int>) async -> Bool {
        for port in ports {
            let bootstrap = ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            guard let channel = try? await bootstrap.bind(host: "127.0.0.1", port: port).get() else { return false }
            try? await channel.close().get()
        }
        return true
    }
}
