import BelfryStore
import Foundation
import Synchronization

/// A program that runs beside this one: simulated devices, a server to measure. Whoever starts one sees to its end.
package final class ChildProcess: Sendable {
    private struct State {
        var status: Int32?
        var waiting: [CheckedContinuation<Int32, Never>] = []
    }

    /// Its standard output, until it has ended. For one reader.
    package let lines: AsyncStream<String>
    private let process = Process()
    /// Ends with us, whatever ends us: a child that reads from it learns that nobody wants anything of it any more.
    private let input = Pipe()
    private let state = Mutex(State())

    /// Starts it. Its errors go where ours go.
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

    /// Runs it to its end, in our environment; ends it when the task is cancelled.
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

    /// A child begins with the signals that the starting thread takes, and the threads of tasks take nearly none: it
    /// would be deaf to SIGTERM.
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

    /// Waits for its end: the exit code, or the number of the signal that ended it.
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

    /// Its number in the system.
    package var id: Int32 { process.processIdentifier }

    /// Sends a signal, if it has not ended.
    package func send(_ signal: Int32) {
        guard state.withLock({ $0.status }) == nil else { return }
        kill(process.processIdentifier, signal)
    }

    /// Writes a line to its standard input.
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

/// Cuts what a child writes into lines, as it comes.
private final class ChildOutput: Sendable {
    /// Lines that wait to be read at most; then the oldest go.
    private static let keptLines = 1_000

    let lines: AsyncStream<String>
    private let watch: DescriptorWatch

    init(_ handle: FileHandle) {
        let (lines, line) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(Self.keptLines))
        self.lines = lines
        // The beginning of a line.
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

    /// The child is dead: what it left is read, and that is all, though a child of its own may have its output open.
    func end() {
        watch.stop()
    }
}

extension Data {
    /// The lines that are whole with what has come now; the beginning of the next one stays.
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
    /// This program, which is also the server and the simulated devices; nil when it cannot be told.
    package static var ownProgram: URL? { Bundle.main.executableURL }

    /// The program that a shell would run by this name; nil when none is on the PATH.
    package static func program(named name: String) -> URL? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { URL(filePath: String($0)).appending(path: name) }
            .first { FileManager.default.isExecutableFile(atPath: $0.path) }
    }
}
