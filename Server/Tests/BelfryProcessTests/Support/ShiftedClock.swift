import Foundation
import Synchronization
import Testing

/// The time of day of a server, which a test sets as somebody sets a machine's clock. It runs on meanwhile, and time that
/// passes (timers) is not touched.
final class ShiftedClock: Sendable {
    static let reason: Comment = "NOT tested here: setting a server's clock takes Linux and a C compiler (/usr/bin/cc)"
    private static let compiler = URL(filePath: "/usr/bin/cc")

    static var isPermitted: Bool {
        #if os(Linux)
            FileManager.default.fileExists(atPath: compiler.path)
        #else
            false
        #endif
    }

    private static var source: URL {
        var tests = URL(filePath: #filePath)
        for _ in 0..<3 { tests.deleteLastPathComponent() }
        return tests.appending(path: "ShiftedClock/shifted_clock.c")
    }

    private let file: URL
    private let library: URL
    private let shift = Mutex<TimeInterval>(0)

    init(_ stage: Stage) async throws {
        file = stage.folder.appending(path: "clock")
        library = stage.folder.appending(path: "shifted_clock.so")
        let run = try ProgramRun.start(
            ["-shared", "-fPIC", "-O2", "-o", library.path, Self.source.path], program: Self.compiler,
            folder: stage.folder
        )
        let exit = await run.exit
        try #require(exit == .code(0), "\(run.standardError)")
        try Data(count: MemoryLayout<Int64>.size).write(to: file)
    }

    /// The environment of a server.
    var environment: [String: String] { ["LD_PRELOAD": library.path, "SHIFTED_CLOCK": file.path] }

    /// The same time of day.
    var now: Date { Date().addingTimeInterval(shift.withLock { $0 }) }

    /// Sets it so many seconds ahead of the true time, or behind.
    func set(to seconds: TimeInterval) throws {
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        // In place: the server has the file mapped into its memory.
        try handle.write(contentsOf: withUnsafeBytes(of: Int64(seconds)) { Data($0) })
        shift.withLock { $0 = seconds }
    }
}
