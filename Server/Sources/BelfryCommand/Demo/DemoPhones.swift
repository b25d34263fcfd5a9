import BelfryModel
import Foundation

/// A process with some devices of the fleet, which is killed (CLI-1).
struct DemoPhones: Sendable {
    enum Order: String, Sendable {
        /// Launches the devices and logs people in; answers with a line for each device: its number and its id.
        case launch
        /// Puts the apps away and tracks an event on each, which stays on the device for half a minute.
        case track
    }

    /// What the process says after each order.
    static let doneText = "done"
    /// Processes at most: of a large fleet some devices share one.
    private static let maximumProcesses = 10

    let indices: [Int]
    private let process: ChildProcess
    private let output: SpokenLines

    /// Starts processes for these devices; none of them has been launched yet.
    static func start(_ indices: [Int], with world: DemoWorld) throws -> [DemoPhones] {
        guard let program = URL.ownProgram else { throw DemoError.unknownProgram }
        let count = min(indices.count, maximumProcesses)
        return try (0..<count).map { number in
            let own = indices.enumerated().filter { $0.offset % count == number }.map(\.element)
            let process = try ChildProcess.start(
                program, world.arguments(devices: own), environment: ProcessInfo.processInfo.environment
            )
            return DemoPhones(indices: own, process: process, output: SpokenLines(process.lines))
        }
    }

    /// Launches the devices; returns their ids by their numbers.
    func launch() async throws -> [Int: String] {
        let lines = try await run(.launch)
        let pairs = lines.compactMap { line -> (Int, String)? in
            let words = line.split(separator: " ")
            guard words.count == 2, let index = WholeNumber.read(words[0], as: Int.self) else { return nil }
            return (index, String(words[1]))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Every device has this event in its storage, and nobody else has it.
    func track(_ event: String) async throws {
        _ = try await run(.track, event)
    }

    /// As `kill -9` does: the process gets to do nothing more. Returns once it is gone.
    func kill() async throws {
        process.send(SIGKILL)
        guard await process.status == SIGKILL else { throw DemoError.notKilled }
    }

    /// Ends it, whatever it is at.
    func end() {
        process.send(SIGKILL)
    }

    private func run(_ order: Order, _ word: String = "") async throws -> [String] {
        try process.say("\(order.rawValue) \(word)")
        var lines: [String] = []
        while let line = await output.next() {
            if line == Self.doneText { return lines }
            lines.append(line)
        }
        // Whoever is not waited for any more has not ended.
        try Task.checkCancellation()
        throw DemoError.phonesEnded(status: await process.status)
    }

    /// What the process says, for one order after the other.
    private actor SpokenLines {
        private var lines: AsyncStream<String>.Iterator

        init(_ lines: AsyncStream<String>) {
            self.lines = lines.makeAsyncIterator()
        }

        func next() async -> String? {
            // An iterator is a value: it is taken out while it waits.
            var lines = lines
            defer { self.lines = lines }
            return await lines.next(isolation: self)
        }
    }
}
