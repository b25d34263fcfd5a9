import Foundation
import Testing

/// The console in a real Chromium (CON-17): `Server/Tests/Browser` starts a demonstration and does what people do.
/// Without a browser the tests fail; `Scripts/setup` installs one.
@Suite("The console in a browser", .serialized, .timeLimit(.minutes(45)))
struct ConsoleBrowserTests {
    @Test(
        """
        CON-17, CON-1, CON-5, CON-7, CON-9, CON-10: a marketer composes, tries, launches and watches a push, by pointer, by \
        keys, and without scripts; an approver sees what is planned, support says why, an operator looks after the server
        """
    )
    func stories() async throws {
        try await run([
            "newcomer", "outside", "marketer", "approver", "approval", "support", "operator", "keyboard",
            "without_scripts",
        ])
    }

    @Test(
        """
        CON-17, CON-2: whatever a role is shown leads somewhere; no page has a console error, a violation of its policy, \
        a violation of axe, or scrolls sideways, at three widths and in both schemes
        """
    )
    func pages() async throws {
        try await run(["viewer", "marketer", "approver", "admin", "operator"].map { "pages-of-\($0)" })
    }

    @Test("CON-3, CON-17: a person signs in by an identity provider, gets a role, and works; others get nothing by it")
    func provider() async throws {
        try await run(["provider"])
    }

    private func run(_ names: [String]) async throws {
        try await withStage { stage in
            let run = try BrowserProgram.start(names, in: stage)
            defer { run.send(SIGTERM) }
            await run.expectSuccess()
        }
    }
}

/// The programs of `Server/Tests/Browser`, which drive a browser.
private enum BrowserProgram {
    /// - Parameter names: the stories; `run.py` says which there are.
    static func start(_ names: [String], in stage: Stage) throws -> ProgramRun {
        let server = URL(filePath: #filePath).resolvingSymlinksInPath().appending(path: "../../../..").standardized
        let program = server.appending(path: "Tests/Browser/run.py")
        return try ProgramRun.start(
            [
                "python3", program.path, "--program", try ProgramFile.locate().path, "--libraries",
                server.appending(path: ".build/browser").path, "--foreign",
                server.appending(path: ".build/python").path,
            ] + names,
            program: URL(filePath: "/usr/bin/env"),
            environment: ["PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"], folder: stage.folder
        )
    }
}
