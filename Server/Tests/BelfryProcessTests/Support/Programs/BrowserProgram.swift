import Foundation
import Testing

/// The programs of `Server/Tests/Browser`, which drive a browser.
enum BrowserProgram {
    /// - Parameters:
    ///   - file: which of them.
    ///   - names: the stories; the program says which there are.
    ///   - libraries: its options for the folders of what `Scripts/setup` has installed.
    static func start(
        _ file: String, _ names: [String], libraries: KeyValuePairs<String, String>, in stage: Stage
    ) throws -> ProgramRun {
        let server = URL(filePath: #filePath).resolvingSymlinksInPath().appending(path: "../../../../..").standardized
        let program = server.appending(path: "Tests/Browser/\(file)")
        let folders = libraries.flatMap { ["--\($0.key)", server.appending(path: ".build/\($0.value)").path] }
        return try ProgramRun.start(
            ["python3", program.path, "--program", try ProgramFile.locate().path] + folders + names,
            program: URL(filePath: "/usr/bin/env"),
            environment: ["PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"], folder: stage.folder
        )
    }

    /// Runs stories of the console in Chromium, with a demonstration of their own.
    static func runConsole(_ names: [String]) async throws {
        try await withStage { stage in
            let run = try start("run.py", names, libraries: ["libraries": "browser", "foreign": "python"], in: stage)
            defer { run.send(SIGTERM) }
            await run.expectSuccess()
        }
    }
}
