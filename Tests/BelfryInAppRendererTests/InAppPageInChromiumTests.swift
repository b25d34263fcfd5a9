import Foundation
import Testing

/// The pages of the gallery in a real Chromium: `Scripts/screens-in-app` opens each and presses what it offers. Without a
/// browser the test fails; `Scripts/setup` installs one.
@Suite(.timeLimit(.minutes(20)))
struct InAppPageInChromiumTests {
    @Test(
        """
        IAM-16, IAM-12, IAM-14: in a browser each type of message stands within its screen, closes, tells what is pressed, \
        holds the focus, follows the reader's direction and scheme, and nothing hostile runs
        """
    )
    func stories() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "belfry-pages-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        for page in Gallery.pages {
            try Data(page.html.utf8).write(to: folder.appending(path: page.name + ".html"))
        }
        let (status, output) = try await Self.run(
            "screens-in-app", ["--pages", folder.path, "--no-pictures"]
        )
        let failures = output.split(separator: "\n").filter { !$0.hasPrefix("ok ") }.joined(separator: "\n")
        #expect(status == 0, "\(failures)")
    }

    private static func run(_ script: String, _ arguments: [String]) async throws -> (status: Int32, output: String) {
        let root = URL(filePath: #filePath).appending(path: "../../..").standardized
        let log = FileManager.default.temporaryDirectory.appending(path: "belfry-browser-\(UUID().uuidString).log")
        try Data().write(to: log)
        defer { try? FileManager.default.removeItem(at: log) }
        let file = try FileHandle(forWritingTo: log)
        let process = Process()
        process.executableURL = root.appending(path: "Scripts/\(script)")
        process.arguments = arguments
        process.standardOutput = file
        process.standardError = file
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        try file.close()
        return (status, String(decoding: try Data(contentsOf: log), as: UTF8.self))
    }
}
