import BelfryStore
import Foundation
import Synchronization

/// A program that runs beside this one, such as simulated devices or a server to measure. The code that starts it must
/// also end it.
package final class ChildProcess: Sendable {
    private struct State {
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    /// The lines of the child's standard output until it ends. For one reader only.
    package let lines: AsyncStream<String>
    private let process = Process()
    /// The child's standard input. It closes when this process ends in any way, so a child that reads from it learns
    /// that it is no longer needed.
    private let input = Pipe()
    private let state = Mutex(State())

    /// Starts a program. Its standard error is this process's.
    package static func start(
        _ executable: URL, _ arguments: [String], environment: [String: String]
    ) throws -> ChildProcess {
        let pipe = Pipe()
        let output = ChildOutput(pipe.fileHandleForReading)
        let child = ChildProcess(lines: output.lines)
        child.process.executableURL = executable
        child.process.arguments = arguments
        child.process.environment = environment
        child.process.standardInput = child.input
        child.process.standardOutput = pipe
        child.process.terminationHandler = { process in
            output.end()
            child.ended(process.terminationStatus)
            process.terminationHandler = nil
        }
        try withAllSignals { try child.process.run() }
        return child
    }

    /// Runs a program to its end, in this process's environment. Ends it when the task is cancelled.
    package static func run(_ executable: URL, _ arguments: [String]) async throws -> (status: Int32, lines: [String]) {
        let child = try start(executable, arguments, environment: ProcessInfo.processInfo.environment)
        let lines = await withTaskCancellationHandler {
            await child.lines.reduce(into: []) { $0.append($1) }
        } onCancel: {
            child.send(SIGTERM)
        }
        let status = await child.status
        try Task.checkCancellation()
        return (status, lines)
    }

    /// A child inherits the signal mask of the thread that starts it, and the threads of tasks block nearly all
    /// signals: without this, the child would ignore SIGTERM.
    private static func withAllSignals(_ start: () throws -> Void) throws {
        var none = sigset_t()
        var usual = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &usual)
        defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
        try start()
    }

    private init(lines: AsyncStream<String>) {
        self.lines = lines
    }

    /// Waits for the child's end. Returns the exit code, or the number of the signal that ended it.
    package var status: Int32 {
        get async {
            await withCheckedContinuation { continuation in
                let status = state.withLock { state in
                    if state.status == nil { state.waiting.append(continuation) }
                    return state.status
                }
                if let status { continuation.resume(returning: status) }
            }
        }
    }

    /// The child's process id.
    package var id: Int32 { process.processIdentifier }

    /// Sends a signal, if the child has not ended.
    package func send(_ signal: Int32) {
        guard state.withLock({ $0.status }) == nil else { return }
        kill(process.processIdentifier, signal)
    }

    /// Writes a line to the child's standard input.
    package func say(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(line)\n".utf8))
    }

    private func ended(_ status: Int32) {
        let waiting = state.withLock { state in
            state.status = status
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume(returning: status) }
    }
}

/// Splits a child's output into lines as it arrives.
private final class ChildOutput: Sendable {
    /// The maximum number of unread lines. Beyond it, the oldest are dropped.
    private static let keptLines = 1_000

    let lines: AsyncStream<String>
    private let watch: DescriptorWatch

    init(_ handle: FileHandle) {
        let (lines, line) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(Self.keptLines))
        self.lines = lines
        // The bytes of an incomplete last line.
        let rest = Mutex(Data())
        watch = DescriptorWatch(handle.fileDescriptor) {
            let bytes = handle.availableData
            let whole = rest.withLock { $0.takeLines(with: bytes) }
            for text in whole { line.yield(text) }
            return !bytes.isEmpty
        } ended: {
            line.finish()
        }
    }

    /// Called when the child is dead: reads what is left in the pipe and closes it, although a grandchild may still
    /// have it open.
    func end() {
        watch.stop()
    }
}

extension Data {
    /// Appends bytes and returns the lines that are complete. The beginning of the next line is kept.
    package mutating func takeLines(with bytes: Data) -> [String] {
        self += bytes
        var whole: [String] = []
        while let end = firstIndex(of: UInt8(ascii: "\n")) {
            whole.append(String(decoding: self[startIndex..<end], as: UTF8.self))
            removeSubrange(startIndex...end)
        }
        return whole
    }
}

extension URL {
    /// The file of this program, which is also the server and the simulated devices; nil when it is not known.
    package static var ownProgram: URL? { Bundle.main.executableURL }

    /// The file of the program that a shell would run by this name; nil when there is none on the PATH.
    package static func program(named name: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").utf8.split(separator: UInt8(ascii: ":")).map {
            Substring($0)
        }
        return folders.map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
