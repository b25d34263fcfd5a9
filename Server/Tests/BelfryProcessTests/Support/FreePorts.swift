import NIOCore
import NIOPosix
import Synchronization

/// Ports for programs that must be told theirs, as a reader of the documents tells them.
enum FreePorts {
    struct None: Error {}

    /// Those that a test has: its program may not listen yet, or be between two runs.
    private static let given = Mutex<Set<Int>>([])

    /// The first of so many ports in a row, on which nobody listens now. They are below those that systems give away by
    /// themselves, beside those of `Scripts/postgres-programs.sh` and of `Tests/Browser`, and each is given away once.
    static func first(of count: Int) async throws -> Int {
        for _ in 0..<100 {
            let first = Int.random(in: 20_000..<30_000 - count)
            let ports = first..<first + count
            let isNew = given.withLock { given in
                guard given.isDisjoint(with: ports) else { return false }
                given.formUnion(ports)
                return true
            }
            if isNew, await areFree(ports) { return first }
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
