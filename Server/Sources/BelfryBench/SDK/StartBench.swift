import Belfry
import BelfryModel
import Foundation

/// PERF-9: starts of the SDK on a directory in which events wait, each by a new client.
struct StartBench {
    /// What one start cost.
    struct Opening: Sendable {
        /// `BelfryClient.init`, which works on the thread of its caller.
        let made: Duration
        /// All that the calling thread was busy with, `init` included.
        let busy: Duration
        /// From the call of `start` until it returned.
        let returned: Duration
    }

    let configuration: BelfryConfiguration
    /// Events that wait in the directory.
    let backlog: Int
    let opens: Int

    func run() async throws -> [Opening] {
        try await fill()
        var openings: [Opening] = []
        for _ in 0..<opens { openings.append(try await open()) }
        try await check()
        return openings
    }

    /// A former run of the app leaves the backlog behind.
    private func fill() async throws {
        let client = try BelfryClient(configuration: configuration, platform: HeadlessPlatform.ofBench())
        try await client.start()
        for number in 0..<backlog {
            try await client.track(
                "cart:add", attributes: ["sku": .string("sku-\(number)"), "price": 9.5, "quantity": 2]
            )
        }
        await client.stop()
    }

    private func open() async throws -> Opening {
        let app = AppStart()
        let (client, made, returned) = try await app.start(configuration, on: HeadlessPlatform.ofBench())
        let busy = await app.thread.busyTime()
        await client.stop()
        return Opening(made: made, busy: busy, returned: returned)
    }

    /// The backlog has to be there still: otherwise something else was measured.
    private func check() async throws {
        let client = try BelfryClient(configuration: configuration, platform: HeadlessPlatform.ofBench())
        let found = try await client.state().queue.count
        await client.stop()
        guard found >= backlog else { throw StartBenchError.backlogGone(expected: backlog, found: found) }
    }
}

enum StartBenchError: Error, CustomStringConvertible {
    case backlogGone(expected: Int, found: Int)

    var description: String {
        switch self {
        case .backlogGone(let expected, let found):
            "Of a backlog of \(expected) events \(found) are left: a server responds where none should be."
        }
    }
}

extension HeadlessPlatform {
    /// A device that says of itself what this machine does.
    static func ofBench() -> HeadlessPlatform {
        HeadlessPlatform(system: .current(appVersion: "1.0"))
    }
}
