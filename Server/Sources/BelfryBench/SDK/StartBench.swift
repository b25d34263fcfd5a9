import Belfry
import BelfryModel
import Foundation

/// PERF-9: measures starts of the SDK on a directory with events in the queue, each with a new client.
struct StartBench {
    /// The cost of one start.
    struct Opening: Sendable {
        /// The duration of `BelfryClient.init`, which runs on its caller's thread.
        let made: Duration
        /// The total busy time of the calling thread, `init` included.
        let busy: Duration
        /// The time from the call of `start` until it returned.
        let returned: Duration
    }

    let configuration: BelfryConfiguration
    /// The number of events in the directory's queue.
    let backlog: Int
    let opens: Int

    func run() async throws -> [Opening] {
        try await fill()
        var openings: [Opening] = []
        for _ in 0..<opens { openings.append(try await open()) }
        try await check()
        return openings
    }

    /// Fills the queue, as an earlier run of the app would leave it.
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

    /// Checks that the events are still in the queue: otherwise something else was measured.
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
    /// A device with the properties of this machine.
    static func ofBench() -> HeadlessPlatform {
        HeadlessPlatform(system: .current(appVersion: "1.0"))
    }
}
