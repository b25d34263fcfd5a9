import Foundation
import Testing

/// A small library of the tests, which is loaded before a server (LD_PRELOAD) and stands between it and the system.
struct PreloadedLibrary: Sendable {
    private static let compiler = URL(filePath: "/usr/bin/cc")

    /// Whether one can be built here: it takes Linux and a C compiler (`/usr/bin/cc`).
    static var isPermitted: Bool {
        #if os(Linux)
            FileManager.default.fileExists(atPath: compiler.path)
        #else
            false
        #endif
    }

    private let file: URL

    /// - Parameter source: its C file, below the folder of all tests.
    init(_ source: String, on stage: Stage) async throws {
        var tests = URL(filePath: #filePath)
        for _ in 0..<4 { tests.deleteLastPathComponent() }
        let source = tests.appending(path: source)
        let name = source.deletingPathExtension().lastPathComponent
        file = stage.folder.appending(path: "\(name).so")
        let run = try ProgramRun.start(
            ["-shared", "-fPIC", "-O2", "-o", file.path, source.path], program: Self.compiler, folder: stage.folder
        )
        let exit = await run.exit
        try #require(exit == .code(0), "\(run.standardError)")
    }

    /// The environment of a server that is to have it.
    var environment: [String: String] { ["LD_PRELOAD": file.path] }
}

/// A number that a preloaded library reads from a file that it has mapped into its memory.
struct SharedNumber: Sendable {
    let file: URL

    /// Zero at first.
    init(_ name: String, on stage: Stage) throws {
        file = stage.folder.appending(path: name)
        try Data(count: MemoryLayout<Int64>.size).write(to: file)
    }

    func set(_ number: Int64) throws {
        let handle = try FileHandle(forWritingTo: file)
        defer { try? handle.close() }
        // In place: a new file would not be the one that is mapped.
        try handle.write(contentsOf: withUnsafeBytes(of: number) { Data($0) })
    }
}
