import BelfryCommand
import BelfryStore
import Foundation
import Synchronization

/// A run of the `belfry` program in a separate process.
final class ProgramRun: Sendable {
    /// How it ended.
    enum Exit: Sendable, Equatable {
        case code(Int32)
        case signal(Int32)
    }

    /// Lines of its standard output that wait to be read at most.
    private static let keptLines = 1_000
    /// Starting a process and opening its pipe happen together, so that no other child inherits an end of it.
    private static let starting = Mutex(())

    /// Its standard output; ends with the process. For one reader.
    let lines: AsyncStream<String>
    private let process: Process
    private let exitLatch: Latch<Exit>
    private let errorFile: URL

    /// - Parameters:
    ///   - program: another one than `belfry`, such as a shell.
    ///   - environment: on top of this process's own, from which everything of Belfry's is taken away.
    ///   - folder: where its standard error goes.
    static func start(
        _ arguments: [String], program: URL? = nil, environment: [String: String] = [:], folder: URL
    ) throws -> ProgramRun {
        let program = try program ?? ProgramFile.locate()
        let errorFile = folder.appending(path: "stderr-\(UUID().uuidString).txt")
        try Data().write(to: errorFile)
        let errors = try FileHandle(forWritingTo: errorFile)
        defer { try? errors.close() }
        let process = Process()
        process.executableURL = program
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("BELFRY_") }
            // A machine that tests run on may have less free than a server asks for.
            .merging(["BELFRY_DISK_FLOOR": "off"]) { $1 }.merging(environment) { $1 }
        process.standardError = errors
        process.standardInput = FileHandle.nullDevice

        let (lines, line) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(keptLines))
        let exit = Latch<Exit>()
        try starting.withLock { _ in
            let output = Pipe()
            let watch = watch(output.fileHandleForReading, line)
            process.standardOutput = output
            process.terminationHandler = { process in
                watch.stop()
                exit.set(
                    process.terminationReason == .exit
                        ? .code(process.terminationStatus) : .signal(process.terminationStatus)
                )
            }
            try withAllSignals { try process.run() }
        }
        return ProgramRun(lines: lines, process: process, exit: exit, errorFile: errorFile)
    }

    private init(lines: AsyncStream<String>, process: Process, exit: Latch<Exit>, errorFile: URL) {
        self.lines = lines
        self.process = process
        exitLatch = exit
        self.errorFile = errorFile
    }

    /// Waits for its end. A test that is ended while it waits ends the process.
    var exit: Exit {
        get async {
            await withTaskCancellationHandler {
                await exitLatch.value
            } onCancel: {
                send(SIGKILL)
            }
        }
    }

    /// How it ended; nil while it runs.
    var ended: Exit? { exitLatch.current }

    /// Its standard error output so far.
    var standardError: String {
        (try? String(contentsOf: errorFile, encoding: .utf8)) ?? ""
    }

    /// Takes resources from the running process, as `prlimit` names them: `--nofile=64:64`.
    func limit(_ option: String) async throws {
        let folder = errorFile.deletingLastPathComponent()
        let run = try ProgramRun.start(
            ["--pid", "\(process.processIdentifier)", option], program: Self.prlimit, folder: folder
        )
        guard await run.exit == .code(0) else { throw LimitError(option: option, reason: run.standardError) }
    }

    static let prlimit = URL(filePath: "/usr/bin/prlimit")

    /// The path of Linux's information about it: `status`, or the folder `fd`.
    func inProc(_ name: String) -> String { "/proc/\(process.processIdentifier)/\(name)" }

    /// Sends a signal, if the process has not ended.
    func send(_ signal: Int32) {
        guard exitLatch.current == nil else { return }
        kill(process.processIdentifier, signal)
    }

    /// Cuts what arrives into lines.
    private static func watch(_ handle: FileHandle, _ line: AsyncStream<String>.Continuation) -> DescriptorWatch {
        let rest = Mutex(Data())
        return DescriptorWatch(handle.fileDescriptor) {
            let bytes = handle.availableData
            let whole = rest.withLock { $0.takeLines(with: bytes) }
            for text in whole { line.yield(text) }
            return !bytes.isEmpty
        } ended: {
            line.finish()
        }
    }

    /// A child begins with the signals that the starting thread takes, and the threads of tasks take nearly none: the
    /// program would be deaf to SIGTERM, as no shell or service manager starts it.
    private static func withAllSignals(_ start: () throws -> Void) throws {
        var none = sigset_t()
        var usual = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &usual)
        defer { pthread_sigmask(SIG_SETMASK, &usual, nil) }
        try start()
    }
}

struct LimitError: Error {
    let option: String
    let reason: String
}
