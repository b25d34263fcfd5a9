import Foundation
import Testing

extension Stage {
    /// Runs one of the project's scripts that start servers beside a command, and ends it however the body ends.
    ///
    /// - Parameters:
    ///   - said: what bash is to print as that command.
    ///   - count: how many lines that are; the body gets them.
    ///   - environment: settings of the script.
    func withServers(
        of script: String, saying said: String, lines count: Int, environment: [String: String] = [:],
        _ body: ([String]) async throws -> Void
    ) async throws {
        // It ends with the process whose number it says, after a while also by itself.
        let run = try ProgramRun.start(
            [ProjectFile.url(script).path, "bash", "-ec", "\(said)\necho $$\nexec sleep 7200"],
            program: URL(filePath: "/bin/bash"), environment: environment, folder: folder
        )
        var lines: [String] = []
        for await line in run.lines {
            lines.append(line)
            if lines.count == count + 1 { break }
        }
        let guest = lines.popLast().flatMap { Int32($0) }
        let outcome: Result<Void, any Error>
        do {
            try #require(guest != nil && lines.count == count, "\(run.standardError)")
            outcome = .success(try await body(lines))
        } catch {
            outcome = .failure(error)
        }
        if let guest { kill(guest, SIGTERM) }
        _ = await run.exit
        try outcome.get()
    }
}
