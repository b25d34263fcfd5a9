import BelfryModel
import Foundation

/// A process that runs some devices of the fleet and is killed later (CLI-1).
struct DemoPhones: Sendable {
    enum Order: String, Sendable {
        /// Launches the devices and logs people in. Prints a line for each device: its number and its id.
        case launch
        /// Moves the apps to the background and tracks an event on each, which stays on the device for half a minute.
        case track
    }

    /// The line that the process prints after each order.
    static let doneText = "done"
    /// The maximum number of processes. In a large fleet several devices share one.
    private static let maximumProcesses = 10

    let indices: [Int]
    private let process: ChildProcess
    private let output: SpokenLines

    /// Starts processes for these devices. No device is launched yet.
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

    /// Launches the devices. Returns their ids by device number.
    func launch() async throws -> [Int: String] {
        let lines = try await run(.launch)
        let pairs = lines.compactMap { line -> (Int, String)? in
            let words = line.utf8.split(separator: UInt8(ascii: " ")).map { Substring($0) }
            guard words.count == 2, let index = WholeNumber.read(words[0], as: Int.self) else { return nil }
            return (index, String(words[1]))
        }
        return Dictionary(pairs) { first, _ in first }
    }

    /// Tracks an event that every device has only in its own storage.
    func track(_ event: String) async throws {
        _ = try await run(.track, event)
    }

    /// Kills the process as `kill -9` does, so that it runs no further code. Returns once the process is gone.
    func kill() async throws {
        process.send(SIGKILL)
        guard await process.status == SIGKILL else { throw DemoError.notKilled }
    }

    /// Ends the process at any point of its work.
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
        // A cancelled task stops waiting although the process has not ended.
        try Task.checkCancellation()
        throw DemoError.phonesEnded(status: await process.status)
    }

    /// The lines that the process prints, read by one order after the other.
    private actor SpokenLines {
        private var lines: AsyncStream<String>.Iterator

        init(_ lines: AsyncStream<String>) {
            self.lines = lines.makeAsyncIterator()
        }

        func next() async -> String? {
            // An iterator is a value, so it is copied out during the wait and stored back afterwards.
            var lines = lines
            defer { self.lines = lines }
            return await lines.next(isolation: self)
        }
    }
}
